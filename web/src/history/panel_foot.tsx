// Below what is told about a note: the ways to its history and its authors.

import { noteActions } from "../commands.ts";
import { closed } from "../store.ts";
import { adopt } from "../styles/adopt.ts";

adopt(`.panel-foot { display: flex; gap: 6px; align-items: center; padding: 4px 10px; border-top: 1px solid var(--line); font-size: 12.5px; } .panel-foot a { padding: 5px 6px; color: var(--ink-soft); } .panel-foot :is(a, button):hover { color: var(--ink); } .panel-foot .quiet { min-height: 28px; }`);

export function PanelFoot({ path }: { path: string }) {
  if (closed.value.has("history")) return null;
  return (
    <p class="panel-foot">
      <a href={`#history!${encodeURIComponent(path)}`}>History</a>
      <button type="button" class="quiet" onClick={() => noteActions.value?.authors()}>Who wrote what</button>
    </p>
  );
}

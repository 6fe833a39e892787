// A note that is not there: it can be created, or taken back out of the trash.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { get, maybe, post } from "../api.ts";
import { complain, dialog, loadNotes, readOnly } from "../store.ts";
import { nameOf } from "../text/paths.ts";

export function MissingNote({ path }: { path: string }) {
  const trashed = useSignal<string | null>(null);
  useEffect(() => {
    void maybe(get("trash")).then((found) => (trashed.value = found?.trash.findLast((one) => one.path === path)?.trash ?? null));
  }, [path]);
  const restore = () => void post("notes/restore", { trash: trashed.value }).then(loadNotes, complain);
  return (
    <div class="calm" role="alert">
      <h2>There is no note “{nameOf(path)}”</h2>
      <p class="muted">{trashed.value ? "It was deleted, and lies in the trash." : "It may have been deleted, or got another name."}</p>
      {!readOnly.value && (
        <div class="calm-acts">
          {trashed.value && <button type="button" class="primary" onClick={restore}>Restore it</button>}
          <button type="button" class={trashed.value ? "" : "primary"} onClick={() => (dialog.value = { kind: "create", path: path.replace(/\.md$/i, ""), template: "" })}>Create it</button>
        </div>
      )}
    </div>
  );
}

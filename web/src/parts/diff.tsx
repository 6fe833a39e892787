// A suggestion's two sides as one line of words; what is folded is said, what cannot be seen is shown.

import { useMemo } from "preact/hooks";

import { compared, folded, shortened } from "../text/folded.ts";
import { visible } from "../text/invisible.ts";
import { type Stretch, wordDiff } from "../text/words.ts";

const NEAR_MAX = 40;

/** With `near`, unchanged words far from a change are left out: what is shown begins at the change. */
export function Diff({ old, added, near = false }: { old: string; added: string; near?: boolean }) {
  const [before, after] = [folded(old), folded(added)];
  const stretches = wordDiff(before.text, after.text);
  const more = before.more + after.more;
  return (
    <span class="diff">
      {stretches.map(({ kind, text }, at) => {
        if (kind === "old") return <del key={at}>{shown(text)}</del>;
        if (kind === "new") return <ins key={at}>{shown(text)}</ins>;
        return <span key={at}>{near ? nearby(text, at === 0, at === stretches.length - 1) : text}</span>;
      })}
      {more > 0 && <span class="folded"> … {more.toLocaleString()} more characters</span>}
    </span>
  );
}

function nearby(text: string, first: boolean, last: boolean): string {
  if (text.length <= 2 * NEAR_MAX) return text;
  const [before, after] = [first ? "" : text.slice(0, NEAR_MAX), last ? "" : text.slice(-NEAR_MAX)];
  return `${before} … ${after}`;
}

/** A change as it is shown to who decides on it: whole, or how many of its lines are hidden. */
export function useWhole(old: string, added: string, seen: boolean): { readonly stretches: readonly Stretch[]; readonly hidden: number } {
  const all = useMemo(() => compared(visible(old), visible(added)), [old, added]);
  const short = useMemo(() => shortened(all), [all]);
  return seen ? { stretches: all, hidden: 0 } : short;
}

export function Stretches({ stretches }: { stretches: readonly Stretch[] }) {
  return (
    <span class="diff">
      {stretches.map(({ kind, text }, at) => {
        if (kind === "old") return <del key={at}>{shown(text)}</del>;
        if (kind === "new") return <ins key={at}>{shown(text)}</ins>;
        return <span key={at}>{text}</span>;
      })}
    </span>
  );
}

export function Unfold({ hidden, see }: { hidden: number; see: () => void }) {
  return hidden ? <button type="button" class="unfold" onClick={see}>{hidden.toLocaleString()} more lines are hidden. Show them</button> : null;
}

/** A change of blanks alone would not be seen. */
function shown(text: string): string {
  return text.trim() ? text : text.replaceAll("\n", "⏎").replaceAll(" ", "·").replaceAll("\t", "⇥");
}

export function Who({ name }: { name: string | null }) {
  return <span class="who">{visible(name ?? "Assistant")}</span>;
}

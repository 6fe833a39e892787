// A suggestion's two sides as one line of words; what is folded is said, what cannot be seen is shown.

import { beyondGlance, folded } from "../text/folded.ts";
import { visible } from "../text/invisible.ts";
import { wordDiff } from "../text/words.ts";

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

/** Says that a change is longer than two lines can show. */
export function Length({ old, added }: { old: string; added: string }) {
  const size = beyondGlance(old, added);
  return size ? <span class="folded">{size.toLocaleString()} characters: open the note to see all</span> : null;
}

/** A change of blanks alone would not be seen. */
export function shown(text: string): string {
  return text.trim() ? text : text.replaceAll("\n", "⏎").replaceAll(" ", "·").replaceAll("\t", "⇥");
}

export function Who({ name }: { name: string | null }) {
  return <span class="who">{visible(name ?? "Assistant")}</span>;
}

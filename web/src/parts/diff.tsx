// A suggestion's two sides as one line of words.

import { wordDiff } from "../text/words.ts";

const SIDE_MAX = 2000;

export function Diff({ old, added }: { old: string; added: string }) {
  const stretches = wordDiff(old.slice(0, SIDE_MAX), added.slice(0, SIDE_MAX));
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

/** A change of blanks alone would not be seen. */
function shown(text: string): string {
  return text.trim() ? text : text.replaceAll("\n", "⏎").replaceAll(" ", "·").replaceAll("\t", "⇥");
}

export function Who({ name }: { name: string | null }) {
  return <span class="who">{name ?? "Assistant"}</span>;
}

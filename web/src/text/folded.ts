// A long text, folded: how it begins, and how much more of it there is.

import { visible } from "./invisible.ts";
import { type Stretch, wordDiff } from "./words.ts";

export const SIDE_MAX = 2000;
// Compared while somebody types in it, a longer one would keep the page busy.
const COMPARED_MAX = 20_000;

export interface Folded {
  readonly text: string;
  readonly more: number;
}

export function folded(text: string): Folded {
  return { text: visible(text.slice(0, SIDE_MAX)), more: Math.max(0, text.length - SIDE_MAX) };
}

/** The two sides of a change word by word; of a very long one, one after the other. */
export function compared(old: string, added: string): readonly Stretch[] {
  if (old.length + added.length <= COMPARED_MAX) return wordDiff(old, added);
  const both: Stretch[] = [{ kind: "old", text: old }, { kind: "new", text: added }];
  return both.filter(({ text }) => text);
}

export const LINES_MAX = 60;
const LINES_FIRST = 40;

/** A change of more lines than one reads at once: how it begins, and how many lines are hidden. */
export function shortened(stretches: readonly Stretch[]): { readonly stretches: readonly Stretch[]; readonly hidden: number } {
  const total = stretches.reduce((sum, { text }) => sum + lineEnds(text), 0);
  if (total <= LINES_MAX) return { stretches, hidden: 0 };
  const found: Stretch[] = [];
  let left = LINES_FIRST;
  for (const { kind, text } of stretches) {
    const lines = text.split("\n");
    const fits = lines.length - 1 <= left;
    found.push({ kind, text: fits ? text : lines.slice(0, left).join("\n") });
    left -= lines.length - 1;
    if (left <= 0) break;
  }
  return { stretches: found, hidden: total - LINES_FIRST };
}

/** Whether some lines of a change are hidden at first. */
export function isLong(old: string, added: string): boolean {
  return lineEnds(old) + lineEnds(added) > LINES_MAX && shortened(compared(visible(old), visible(added))).hidden > 0;
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

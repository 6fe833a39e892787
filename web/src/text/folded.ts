// A long text, folded: how it begins, and how much more of it there is.

import { visible } from "./invisible.ts";
import type { Stretch } from "./words.ts";

export const SIDE_MAX = 2000;
const GLANCE_MAX = 120;

export interface Folded {
  readonly text: string;
  readonly more: number;
}

export function folded(text: string): Folded {
  return { text: visible(text.slice(0, SIDE_MAX)), more: Math.max(0, text.length - SIDE_MAX) };
}

/** How long a change is that two lines cannot show whole; 0 if they can. */
export function beyondGlance(old: string, added: string): number {
  const size = old.length + added.length;
  return size > GLANCE_MAX || /\n./.test(old.trim() + added.trim()) ? size : 0;
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
  return lineEnds(old) + lineEnds(added) > LINES_MAX;
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

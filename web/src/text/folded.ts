// A long text, folded: how it begins, and how much more of it there is.

import { visible } from "./invisible.ts";

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

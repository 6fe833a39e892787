// Edits that cut no character in half.
//
// An emoji is two UTF-16 units. When one emoji is put in place of another (by the keyboard of a
// phone, or the system's picker), CodeMirror compares texts unit by unit and changes only the half
// in which they differ. Yjs would leave a broken character for ever, and the server refuses that.

import type { Edit } from "./suggesting.ts";

export interface Whole extends Edit {
  readonly widened?: true;
}

/** Widen an edit to whole characters, if it is not so already; `at` gives the text of a range. */
export function whole(edit: Edit, at: (from: number, to: number) => string): Whole {
  // A pair that begins just before a place ends behind it.
  const cuts = (place: number) => place && +(at(place - 1, place + 1).codePointAt(0)! > 0xffff);
  const [before, after] = [cuts(edit.from), cuts(edit.to)];
  if (!before && !after) return edit;
  const to = edit.to + after;
  const from = edit.from < edit.to ? edit.from - before : to;
  const insert = from < to ? at(from, edit.from) + edit.insert + at(edit.to, to) : edit.insert;
  return { from, to, insert: insert.replace(/\p{Cs}/gu, ""), widened: true };
}

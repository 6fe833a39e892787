// Edits that cut no character in half.
//
// An emoji is two UTF-16 units. When one emoji is put in place of another (by the keyboard of a
// phone, or the system's picker), CodeMirror compares texts unit by unit and changes only the half
// in which they differ. Yjs would leave a broken character for ever, and the server refuses that.

import type { Edit } from "./suggesting.ts";

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Widen an edit to whole characters; `at` gives the text between two places. */
export function whole(edit: Edit, at: (from: number, to: number) => string): Edit {
  const cuts = (place: number) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(at(place - 1, place + 1));
  if (edit.from === edit.to) {
    const place = cuts(edit.from) ? edit.from + 1 : edit.from;
    return { from: place, to: place, insert: edit.insert.replace(LONE, "") };
  }
  const from = cuts(edit.from) ? edit.from - 1 : edit.from;
  const to = cuts(edit.to) ? edit.to + 1 : edit.to;
  const insert = at(from, edit.from) + edit.insert + at(edit.to, to);
  return { from, to, insert: insert.replace(LONE, "") };
}

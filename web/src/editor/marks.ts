// What is suggested in the open note, kept up to date with every keystroke.
//
// A note is read anew only when an edit could change what is markup: typing words merely shifts it,
// which keeps a note of a megabyte as quick as a short one.

import { type ChangeSet, StateField, type Text, type Transaction } from "@codemirror/state";

import { type Mark, type Marked, parse, type Suggestion, suggestions } from "../critic/index.ts";

export interface Reading {
  readonly marked: Marked;
  readonly pending: readonly Suggestion[];
}

const TELLING = /[{}+\-~=<>@`"]/;
const NEIGHBOURS = 4;

export const reading = StateField.define<Reading>({
  create: (state) => read(state.doc),
  update: (value, transaction) => (transaction.docChanged ? updated(value, transaction) : value),
});

function read(doc: Text): Reading {
  const marked = parse(doc.toString());
  return { marked, pending: suggestions(marked) };
}

function updated(before: Reading, { changes, startState, newDoc }: Transaction): Reading {
  if (isWords(before, changes, startState.doc, newDoc)) return shifted(before, changes, newDoc);
  return read(newDoc);
}

/** Tell whether an edit only adds or removes words, so that all markup stays what it is. */
function isWords({ marked }: Reading, changes: ChangeSet, old: Text, added: Text): boolean {
  let words = true;
  changes.iterChanges((fromA, toA, fromB, toB, inserted) => {
    if (!words) return;
    if (inserted.lines > 1 || inserted.length > 2000 || toA - fromA > 2000 || old.sliceString(fromA, toA).includes("\n")) words = false;
    else if (TELLING.test(around(old, fromA, toA)) || TELLING.test(around(added, fromB, toB))) words = false;
    else if (marked.suggested.some((mark) => mark.start <= fromA && fromA < mark.body)) words = false;
    else if (marked.fenced) words = isBehindWord(old, fromA);
  });
  return words;
}

function around(doc: Text, from: number, to: number): string {
  return doc.sliceString(Math.max(0, from - NEIGHBOURS), Math.min(doc.length, to + NEIGHBOURS));
}

/** Inside code fences the start of a line counts, so a change must come behind some letter of it. */
function isBehindWord(doc: Text, at: number): boolean {
  const line = doc.lineAt(at);
  return /\p{L}/u.test(doc.sliceString(line.from, at)) && !/`{3}|~{3}/.test(line.text);
}

/** Where changes begin and end, and by how much they move what comes behind. */
function reach(changes: ChangeSet): [number, number, number] {
  let [first, last] = [Infinity, -1];
  changes.iterChangedRanges((from, to) => {
    first = Math.min(first, from);
    last = Math.max(last, to);
  });
  return [first, last, changes.newLength - changes.length];
}

function shifted({ marked, pending }: Reading, changes: ChangeSet, doc: Text): Reading {
  const moved = new Map<Mark, Mark>();
  const [first, last, added] = reach(changes);
  const move = (mark: Mark): Mark => {
    const known = moved.get(mark);
    if (known) return known;
    if (mark.end < first) return mark;
    const at = (place: number, side: number) => (place > last ? place + added : changes.mapPos(place, side));
    const next: Mark = {
      ...mark,
      start: at(mark.start, 1),
      body: at(mark.body, -1),
      // Text typed right at an edge of a side is inside it.
      middle: mark.kind === "+" ? at(mark.body, -1) : at(mark.middle, 1),
      tail: at(mark.tail, 1),
      end: at(mark.end, -1),
    };
    moved.set(mark, next);
    return next;
  };
  let text: string | null = null;
  const shiftedMarked: Marked = {
    get text() {
      return (text ??= doc.toString());
    },
    suggested: marked.suggested.map(move),
    comments: marked.comments.map(move),
    highlights: marked.highlights.map(move),
    fences: marked.fences.map(([start, end]) => [changes.mapPos(start, 1), changes.mapPos(end, 1)] as const),
    fenced: marked.fenced,
  };
  return {
    marked: shiftedMarked,
    pending: pending.map((one) => {
      if (one.end < first) return one;
      const marks = one.marks.map(move);
      return { ...one, marks, start: marks[0]!.start, end: marks[marks.length - 1]!.end };
    }),
  };
}

/** The suggestion at a place, its edges included. */
export function suggestionAt({ pending }: Reading, place: number): Suggestion | null {
  let low = 0;
  let high = pending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pending[middle]!.end < place) low = middle + 1;
    else high = middle;
  }
  const found = pending[low];
  return found && found.start <= place ? found : null;
}

/** The next suggestion behind a place, or the one before it; it goes round at the ends. */
export function neighbour({ pending }: Reading, place: number, direction: 1 | -1): Suggestion | null {
  const ordered = direction > 0 ? pending : [...pending].reverse();
  const found = ordered.find((one) => (direction > 0 ? one.start > place : one.end < place));
  return found ?? ordered[0] ?? null;
}

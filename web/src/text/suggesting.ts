// Typing as suggesting: turns an edit of the marked text into one that only suggests it.
//
// For every edit: rejecting everything gives the same text before and after; accepting everything
// gives the text with the edit made. Text that is itself only suggested is edited as it is.

import { type Mark, type Marked, runs, within } from "../critic/index.ts";
import { inPieces, isDelicate, keepsLaw } from "./delimited.ts";

export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

export interface Suggested {
  /** Sorted, apart, in places of the text before. */
  readonly edits: Edit[];
  /** Where the caret goes, in the text after. */
  readonly caret: number;
}

export interface Author {
  readonly name: string;
  /** Metadata for new marks, as it is written. */
  readonly meta: string;
}

/** The edit as a suggestion, or null if it cannot be one: in a code block, or where it would read as markup. */
export function suggesting(marked: Marked, edit: Edit, author: Author, forward = false): Suggested | null {
  const stretch = Math.max(edit.to, edit.from + 1);
  if (inFence(marked, edit.from, stretch)) return null;
  const found = inOneMark(marked, edit, author, forward);
  if (!isDelicate(marked, edit) || (found && keepsLaw(marked, edit, found.edits))) return found;
  return inPieces(marked, edit, author, forward);
}

function inOneMark(marked: Marked, edit: Edit, author: Author, forward: boolean): Suggested | null {
  const deleting = edit.from < edit.to ? deletion(marked, edit, author) : { edits: [], meta: author.meta };
  if (!deleting) return null;
  if (edit.insert) return insertion(marked, edit, author, deleting.edits, deleting.meta);
  const edits = emptied(marked, deleting.edits, null);
  return { edits, caret: caretOf(edits, edit, forward) };
}

function inFence(marked: Marked, from: number, to: number): boolean {
  return marked.fences.some(([start, end]) => start < to && from < end);
}

export function isOwn(mark: Mark | undefined, author: Author): mark is Mark {
  return mark?.meta?.author === author.name && mark.meta.earlier.length === 0;
}

function deletion(marked: Marked, { from, to }: Edit, author: Author): { edits: Edit[]; meta: string } | null {
  const edits: Edit[] = [];
  let meta = author.meta;
  for (const run of runs(marked).filter((run) => run.start < to && from < run.end)) {
    const start = Math.max(run.start, from);
    const end = Math.min(run.end, to);
    if (run.role === "new") edits.push({ from: start, to: end, insert: "" });
    else if (run.role === "plain") {
      const wrapped = wrap(marked, start, end, author);
      if (!wrapped) return null;
      edits.push(...wrapped.edits);
      meta = wrapped.meta;
    }
  }
  return { edits: merged(edits), meta };
}

/** Put plain text into a deletion, or into one's own that it touches. */
function wrap(marked: Marked, from: number, to: number, author: Author): { edits: Edit[]; meta: string } | null {
  const { text, suggested } = marked;
  const own = (mark: Mark | undefined) => (mark?.kind === "-" && isOwn(mark, author) ? mark : null);
  const before = own(suggested.find((mark) => mark.end === from));
  const after = own(suggested.find((mark) => mark.start === to));
  const edits: Edit[] = [];
  const neighbour = before ?? after;
  const meta = neighbour ? text.slice(neighbour.start + 3, neighbour.body) : author.meta;
  if (before) edits.push({ from: before.tail, to: before.end, insert: "" });
  else edits.push({ from, to: from, insert: `{--${meta}` });
  if (after) edits.push({ from: after.start, to: after.body, insert: "" });
  else edits.push({ from: to, to, insert: "--}" });
  return { edits, meta };
}

function insertion(marked: Marked, edit: Edit, author: Author, deleting: Edit[], meta: string): Suggested {
  const { at, inside } = placeOf(marked, edit, author);
  const written = inside ? edit.insert : `{++${meta}${edit.insert}++}`;
  const edits = merged([...emptied(marked, deleting, inside ? at : null), { from: at, to: at, insert: written }]);
  const after = positionAfter(edits, at);
  return { edits, caret: inside ? after : after - 3 };
}

/** Where inserted text goes, and whether it is inside suggested text there already. */
function placeOf(marked: Marked, { from, to }: Edit, author: Author): { at: number; inside: boolean } {
  const near = within(marked.suggested, from - 1, to + 1);
  for (const mark of near) {
    const begin = mark.kind === "~" ? mark.middle + 2 : mark.body;
    if (mark.kind !== "-" && begin <= to && to <= mark.tail) return { at: to, inside: true };
  }
  let at = to;
  const holding = near.find((mark) => mark.start < at && at < mark.end);
  if (holding) at = holding.end;
  const left = marked.suggested.find((mark) => mark.end === at);
  const right = marked.suggested.find((mark) => mark.start === at);
  if (left?.kind === "+" && isOwn(left, author)) return { at: left.tail, inside: true };
  if (right?.kind === "+" && isOwn(right, author)) return { at: right.body, inside: true };
  return { at, inside: false };
}

/** A mark whose whole text is deleted goes with its delimiters, unless new text is put into it. */
function emptied(marked: Marked, edits: Edit[], filled: number | null): Edit[] {
  const added: Edit[] = [];
  for (const mark of marked.suggested) {
    if (filled !== null && mark.body <= filled && filled <= mark.tail) continue;
    const whole = edits.some((e) => !e.insert && e.from <= mark.body && e.to >= mark.tail && e.from < e.to);
    if (mark.kind === "+" && whole) {
      added.push({ from: mark.start, to: mark.body, insert: "" }, { from: mark.tail, to: mark.end, insert: "" });
    }
  }
  return added.length ? merged([...edits, ...added]) : edits;
}

function merged(edits: Edit[]): Edit[] {
  const sorted = [...edits].sort((one, other) => one.from - other.from || one.to - other.to);
  const found: Edit[] = [];
  for (const edit of sorted) {
    const last = found.at(-1);
    if (last && edit.from <= last.to) {
      found[found.length - 1] = { from: last.from, to: Math.max(last.to, edit.to), insert: last.insert + edit.insert };
    } else found.push(edit);
  }
  return found;
}

function positionAfter(edits: Edit[], at: number): number {
  let moved = 0;
  for (const edit of edits) {
    if (edit.from > at) break;
    moved += edit.insert.length - (Math.min(edit.to, at) - edit.from);
  }
  return at + moved;
}

function caretOf(edits: Edit[], { from, to }: Edit, forward: boolean): number {
  if (forward) return positionAfter(edits, to);
  return from + edits.filter((e) => e.to <= from && e.from < from).reduce((sum, e) => sum + e.insert.length - (e.to - e.from), 0);
}

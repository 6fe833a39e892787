// Suggestions of text that holds delimiters, as code does: `for (;;) {i++}`.
//
// One mark could not hold its own end, so the text is cut into adjacent marks, which are read as one
// suggestion (the server's `core/critic/marks.py` states the rule). The person's own marks that the
// edit touches are written anew with it; characters that stay in the base stay where they are. What
// came of it is read again, and is nothing if it does not read as it should.

import { accepted, base, closer, type Mark, type Marked, joined, opener, runs, type Sign, within } from "../critic/index.ts";
import { type Author, type Edit, isOwn, type Suggested } from "./suggesting.ts";

const CUT = /\{(?=\+\+|--|~~|==|>>)|\+(?=\+\})|-(?=-\})|~(?=~\})|=(?==\})|<(?=<\})/g;
const WIDTH = 3;
const SIGNS = /[{}]/;

/** Whether what an edit touches may read as a delimiter. */
export function isDelicate(marked: Marked, { from, to, insert }: Edit): boolean {
  const [start, end] = [from - WIDTH, to + WIDTH];
  if (within(marked.suggested, from - 1, to + 1).some((mark) => SIGNS.test(marked.text.slice(mark.body, mark.tail)))) return true;
  return SIGNS.test(insert + joined(marked, "new", start, end) + joined(marked, "old", start, end));
}

/** Whether some edits make a suggestion of one, and of nothing else. */
export function keepsLaw(marked: Marked, edit: Edit, edits: readonly Edit[]): boolean {
  const now = applied(marked.text, edits);
  return base(now) === base(marked.text) && accepted(now) === wanted(marked, edit);
}

/** The edit as a suggestion in as many marks as it takes; null if there is none, or others' marks are in the way. */
export function inPieces(marked: Marked, edit: Edit, author: Author, forward: boolean): Suggested | null {
  const region = regionOf(marked, edit, author);
  if (!region) return null;
  const { start, end, meta } = region;
  const edits: Edit[] = [];
  const content = joined(marked, "old", start, end);
  const places = new Set(cuts("-", content));
  let read = 0;
  let open = false;
  for (const run of runs(marked)) {
    const [from, to] = [Math.max(run.start, start), Math.min(run.end, end)];
    if (from >= to) continue;
    if (run.role !== "plain" && run.role !== "old") edits.push({ from, to, insert: "" });
    else {
      for (let at = from; at < to; at++, read++) {
        if (!open) edits.push({ from: at, to: at, insert: opener("-") + meta });
        else if (places.has(read)) edits.push({ from: at, to: at, insert: closer("-") + opener("-") + meta });
        open = true;
      }
    }
  }
  const before = joined(marked, "new", start, edit.from) + edit.insert;
  const added = before + joined(marked, "new", edit.to, end);
  const head = open ? closer("-") : "";
  edits.push({ from: end, to: end, insert: head + wrapped("+", meta, added) });
  const sorted = together(edits);
  if (!keepsLaw(marked, edit, sorted)) return null;
  const size = applied(marked.text.slice(0, end), sorted.map((one) => ({ ...one, to: Math.min(one.to, end) }))).length;
  const caret = added ? size - wrapped("+", meta, added).length + reach(meta, added, before.length) : forward ? size : start;
  return { edits: sorted, caret };
}

/** The stretch of an edit and of the person's own marks that it touches, and what those say of themselves. */
function regionOf(marked: Marked, edit: Edit, author: Author): { start: number; end: number; meta: string } | null {
  let [start, end] = [edit.from, edit.to];
  let meta = author.meta;
  const touching = (mark: Mark) => mark.start <= end && start <= mark.end;
  for (let grown = true; grown; ) {
    grown = false;
    for (const mark of marked.suggested.filter(touching)) {
      const inside = mark.start < end && start < mark.end;
      if (!isOwn(mark, author)) {
        if (inside) return null;
        continue;
      }
      if (mark.start < start || end < mark.end) grown = true;
      [start, end] = [Math.min(start, mark.start), Math.max(end, mark.end)];
      meta = marked.text.slice(mark.start + WIDTH, mark.body);
    }
  }
  const others = [...marked.comments, ...marked.highlights].some((mark) => mark.start < end && start < mark.end);
  return others ? null : { start, end, meta };
}

function cuts(kind: Sign, content: string): number[] {
  const found = [...content.matchAll(CUT)].map((match) => match.index + 1);
  if (content.at(-2) === "{" && content.at(-1) === kind) found.push(content.length - 1);
  return found;
}

function piecesOf(kind: Sign, content: string): string[] {
  const places = [0, ...cuts(kind, content).filter((at) => at > 0 && at < content.length), content.length];
  return content ? places.slice(1).map((at, index) => content.slice(places[index], at)) : [];
}

function wrapped(kind: Sign, meta: string, content: string): string {
  return piecesOf(kind, content).map((piece) => opener(kind) + meta + piece + closer(kind)).join("");
}

/** Where a place in a text stands once that is wrapped. */
function reach(meta: string, content: string, at: number): number {
  let [place, passed] = [0, 0];
  for (const piece of piecesOf("+", content)) {
    if (at <= passed + piece.length) return place + WIDTH + meta.length + at - passed;
    passed += piece.length;
    place += piece.length + meta.length + 2 * WIDTH;
  }
  return place;
}

/** The accepted text with an edit made. */
function wanted(marked: Marked, { from, to, insert }: Edit): string {
  return joined(marked, "new", 0, from) + insert + joined(marked, "new", to);
}

function applied(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of edits) {
    result += text.slice(at, edit.from) + edit.insert;
    at = edit.to;
  }
  return result + text.slice(at);
}

/** Edits that touch, as one. */
function together(edits: readonly Edit[]): Edit[] {
  const found: Edit[] = [];
  for (const edit of edits) {
    const last = found.at(-1);
    if (last && last.to === edit.from) found[found.length - 1] = { from: last.from, to: edit.to, insert: last.insert + edit.insert };
    else found.push(edit);
  }
  return found;
}

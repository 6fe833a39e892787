// Pending suggestions as a person decides them: marks that belong together, and their ids.
//
// The same rules as the server's `core/critic/listing.py`.

import { blake2b8 } from "./blake2b.ts";
import { type Mark, type Marked, newSide, oldSide } from "./marks.ts";
import { authorsOf, sameMetadata } from "./metadata.ts";

export type Change = "insert" | "delete" | "replace";

export interface Suggestion {
  readonly kind: Change;
  readonly start: number;
  readonly end: number;
  readonly marks: readonly Mark[];
  readonly author: string | null;
  readonly time: number | null;
}

const CUT = /\{(?=\+\+|--|~~|==|>>)|\+(?=\+\})|-(?=-\})|~(?=~\})|=(?==\})|<(?=<\})/y;

/** What is pending, in order. */
export function suggestions(marked: Marked): Suggestion[] {
  const rows: Mark[][] = [];
  marked.suggested.forEach((mark, index) => {
    const before = marked.suggested[index - 1];
    if (before?.end === mark.start && belongs(marked, before, mark, marked.suggested[index + 1])) {
      rows[rows.length - 1]!.push(mark);
    } else rows.push([mark]);
  });
  return rows.map((marks) => suggestionOf(marked, marks));
}

/** The text that accepting removes, and the text that it adds. */
export function sides(marked: Marked, suggestion: Suggestion): { old: string; new: string } {
  const text = { old: "", new: "" };
  for (const mark of suggestion.marks) {
    text.old += without(marked, ...oldSide(mark));
    text.new += without(marked, ...newSide(mark));
  }
  return text;
}

/** The names by which the server knows suggestions: their characters, how many equal ones stand before, and of twins, how many they are. */
export function idsOf(marked: Marked, all: readonly Suggestion[]): string[] {
  const raw = all.map(({ start, end }) => marked.text.slice(start, end));
  const equal = new Map<string, number>();
  for (const each of raw) equal.set(each, (equal.get(each) ?? 0) + 1);
  const seen = new Map<string, number>();
  return raw.map((each) => {
    const count = (seen.get(each) ?? 0) + 1;
    seen.set(each, count);
    return nameOf(each, count, equal.get(each)!);
  });
}

/** The name of one of them. */
export function idOf(marked: Marked, all: readonly Suggestion[], suggestion: Suggestion): string {
  const raw = marked.text.slice(suggestion.start, suggestion.end);
  const equal = all.filter(({ start, end }) => end - start === raw.length && marked.text.startsWith(raw, start));
  return nameOf(raw, equal.filter(({ start }) => start <= suggestion.start).length, equal.length);
}

function nameOf(raw: string, count: number, equal: number): string {
  const name = blake2b8(new TextEncoder().encode(`${count}\0${raw}`));
  return equal > 1 ? `${name}-${equal}` : name;
}

function suggestionOf(marked: Marked, marks: Mark[]): Suggestion {
  const first = marks[0]!;
  const found = {
    start: first.start,
    end: marks[marks.length - 1]!.end,
    marks,
    author: first.meta ? authorsOf(first.meta) : null,
    time: first.meta?.time ?? null,
  };
  return { ...found, kind: changeOf(marked, { ...found, kind: "replace" }) };
}

function changeOf(marked: Marked, suggestion: Suggestion): Change {
  const kinds = new Set(suggestion.marks.map((mark) => mark.kind));
  const text = kinds.size === 1 && !kinds.has("~") ? null : sides(marked, suggestion);
  if ((kinds.size === 1 && kinds.has("+")) || (text?.new && !text.old)) return "insert";
  if ((kinds.size === 1 && kinds.has("-")) || (text?.old && !text.new)) return "delete";
  return "replace";
}

/** Text without the comments and the edges of highlights inside it. */
function without(marked: Marked, from: number, to: number): string {
  let text = "";
  let at = from;
  for (const [start, end] of hidden(marked, from, to)) {
    text += marked.text.slice(at, start);
    at = end;
  }
  return text + marked.text.slice(at, to);
}

function hidden(marked: Marked, from: number, to: number): [number, number][] {
  const found: [number, number][] = [];
  for (const mark of within(marked.comments, from, to)) found.push([mark.start, mark.end]);
  for (const mark of within(marked.highlights, from, to)) {
    if (mark.start >= from && mark.end <= to) found.push([mark.start, mark.body], [mark.tail, mark.end]);
  }
  return found.sort((one, other) => one[0] - other[0]);
}

/** Those of some marks, sorted and apart, that lie in `[from, to]`. */
export function within(marks: readonly Mark[], from: number, to: number): Mark[] {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]!.end <= from) low = middle + 1;
    else high = middle;
  }
  const found: Mark[] = [];
  for (let mark = marks[low]; mark && mark.start < to; mark = marks[++low]) found.push(mark);
  return found;
}

function belongs(marked: Marked, before: Mark, mark: Mark, next: Mark | undefined): boolean {
  if (!sameMetadata(before.meta, mark.meta)) return false;
  if (before.kind !== mark.kind) return before.kind === "-" && mark.kind === "+";
  const left = marked.text.slice(Math.max(before.body, before.tail - 1), before.tail);
  const right = marked.text.slice(mark.body, mark.tail);
  let ahead = right.slice(0, 2);
  if (ahead.length < 2 && next?.start === mark.end && next.kind === mark.kind) {
    ahead += marked.text.slice(next.body, next.tail).slice(0, 2 - ahead.length);
  }
  CUT.lastIndex = 0;
  return CUT.test(left + ahead) || (left === "{" && right === mark.kind);
}

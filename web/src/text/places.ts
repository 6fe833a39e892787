// Places in a text: of a heading, a block or a passage, in the text as it stands or as it reads.

import { idsOf, type Marked, runs, type Suggestion } from "../critic/index.ts";
import { headings, plainHeading } from "./headings.ts";

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** What stands before a passage in an address, in the place of a heading. */
export const PASSAGE = "~";
const WORDS_MAX = 14;
const FEW = 5;

/** Find what an address names in the text with its suggestions: `~@place`, `~!suggestion`. */
export function markedPlaceOf(marked: Marked, pending: readonly Suggestion[], wanted: string): Range | null {
  const [, sign, value = ""] = /^~([@!])(.+)$/.exec(wanted) ?? [];
  if (!sign) return null;
  const at = sign === "@" ? Number(value) : pending[idsOf(marked, pending).indexOf(value)]?.marks[0]?.body;
  if (at === undefined || Number.isNaN(at)) return null;
  const from = Math.min(at, marked.text.length);
  return { from, to: from };
}

/** Find what an address names: `heading`, `heading#below it`, `^block`, `~a passage`. */
export function placeIn(text: string, wanted: string): Range | null {
  if (wanted.startsWith(PASSAGE)) return passage(text, wanted.slice(1));
  const block = /(?:^|#)\^([A-Za-z0-9-]+)$/.exec(wanted)?.[1];
  if (block) {
    const at = text.search(new RegExp(`(?:^|[ \\t])\\^${block}[ \\t]*$`, "im"));
    return at < 0 ? null : { from: text.lastIndexOf("\n", at) + 1, to: at };
  }
  const name = plainHeading(wanted.split("#").at(-1) ?? "");
  const found = headings(text).find((each) => plainHeading(each.text) === name);
  return found ? { from: found.from, to: found.from } : null;
}

/** Find a passage whatever the blanks in it; if it was changed since, the longest start of it. */
function passage(text: string, wanted: string): Range | null {
  const words = wanted.replaceAll("…", " ").split(/\s+/).filter(Boolean).slice(0, WORDS_MAX);
  for (let count = words.length; count >= Math.min(FEW, words.length) && count > 0; count--) {
    const pattern = words.slice(0, count).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
    const found = new RegExp(pattern, "i").exec(text);
    if (found) return { from: found.index, to: found.index + found[0].length };
  }
  return null;
}

/** Where a place of the text as it reads stands in the text with its suggestions. */
export function markedPlace(marked: Marked, place: number): number {
  let left = place;
  for (const run of runs(marked)) {
    if (run.role !== "plain" && run.role !== "new") continue;
    const length = run.end - run.start;
    if (left < length) return run.start + left;
    left -= length;
  }
  return marked.text.length;
}

/** Where a place of the text with its suggestions stands in the text as it reads. */
export function readPlace(marked: Marked, place: number): number {
  let read = 0;
  for (const run of runs(marked)) {
    if (run.start >= place) break;
    if (run.role === "plain" || run.role === "new") read += Math.min(run.end, place) - run.start;
  }
  return read;
}

export function lineAt(text: string, place: number): number {
  let line = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

export function startOfLine(text: string, line: number): number {
  let at = 0;
  for (; line > 0; line--) {
    const next = text.indexOf("\n", at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  return at;
}

/** The one character to change so that the task of a line is done, or not; null if there is none. */
export function tickAt(text: string, line: number): number | null {
  const start = startOfLine(text, line);
  const end = text.indexOf("\n", start);
  const box = /^[\s>]*(?:[-*+]|\d+[.)])[ \t]+\[(.)\](?=\s|$)/u.exec(text.slice(start, end < 0 ? text.length : end));
  return box ? start + box[0].length - 1 - box[1]!.length : null;
}

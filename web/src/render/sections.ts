// The part of a note that a link means: what stands below a heading, or a block with an id.

import { headings, plainHeading } from "../text/headings.ts";

/** A part of a text, and the line where it begins. */
export interface Section {
  readonly text: string;
  readonly line: number;
}

/** Cut out what `place` names (`heading`, `heading#below it`, `^block`); null if there is none. */
export function sectionOf(text: string, place: string): Section | null {
  if (!place) return { text, line: 0 };
  const block = /(?:^|#)\^([A-Za-z0-9-]+)$/.exec(place)?.[1];
  return block ? blockOf(text, block) : headingOf(text, place);
}

function headingOf(text: string, place: string): Section | null {
  const all = headings(text);
  let at = -1;
  for (const part of place.split("#").filter(Boolean)) {
    at = all.findIndex((heading, number) => number > at && plainHeading(heading.text) === plainHeading(part));
    if (at < 0) return null;
  }
  const found = all[at];
  if (!found) return null;
  const next = all.slice(at + 1).find((heading) => heading.level <= found.level);
  return { text: text.slice(found.from, next ? next.from : text.length), line: found.line - 1 };
}

function blockOf(text: string, id: string): Section | null {
  const lines = text.split("\n");
  const ending = new RegExp(`(?:^|[ \\t])\\^${id}[ \\t]*$`, "i");
  const at = lines.findIndex((line) => ending.test(line));
  if (at < 0) return null;
  const own = lines[at]!.replace(ending, "");
  if (/^[ \t]*(?:[-*+]|\d+[.)])[ \t]/.test(own)) return listItem(lines, at);
  const heading = /^#{1,6}[ \t]/.test(own);
  if (heading) return { text: own, line: at };
  let [first, last] = [at, at + 1];
  if (!own.trim()) {
    last = at;
    while (last > 0 && !lines[last - 1]!.trim()) last--;
    first = last;
  }
  while (first > 0 && lines[first - 1]!.trim()) first--;
  return { text: lines.slice(first, last).join("\n"), line: first };
}

function listItem(lines: string[], at: number): Section {
  const indent = (line: string) => /^[ \t]*/.exec(line)![0].length;
  let last = at + 1;
  while (last < lines.length && (lines[last]!.trim() === "" || indent(lines[last]!) > indent(lines[at]!))) last++;
  const shift = indent(lines[at]!);
  return { text: lines.slice(at, last).map((line) => line.slice(Math.min(shift, indent(line)))).join("\n"), line: at };
}

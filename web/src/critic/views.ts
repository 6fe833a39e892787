// A marked text as runs, and the texts that one gets by keeping some of them.

import { DIVIDER, type Marked, parse } from "./marks.ts";

export type Role = "plain" | "old" | "new" | "delimiter" | "comment" | "edge";

export interface Run {
  readonly start: number;
  readonly end: number;
  readonly role: Role;
}

interface Cut {
  readonly start: number;
  readonly end: number;
  readonly role: Role;
  /** The side that begins behind it. */
  readonly then: Role | null;
}

export function accepted(text: string): string {
  return text.includes("{") ? joined(parse(text), "new") : text;
}

export function base(text: string): string {
  return text.includes("{") ? joined(parse(text), "old") : text;
}

/** The text of `[from, to]` as it reads if everything suggested were accepted (or rejected). */
export function joined(marked: Marked, side: "new" | "old", from = 0, to = marked.text.length): string {
  let text = "";
  for (const run of runs(marked)) {
    if (run.start >= to) break;
    if (run.end <= from || (run.role !== "plain" && run.role !== side)) continue;
    text += marked.text.slice(Math.max(run.start, from), Math.min(run.end, to));
  }
  return text;
}

export function runs(marked: Marked): Run[] {
  const found: Run[] = [];
  let at = 0;
  let side: Role = "plain";
  const add = (start: number, end: number, role: Role) => {
    if (start < end) found.push({ start, end, role });
  };
  for (const cut of cuts(marked)) {
    add(at, cut.start, side);
    add(Math.max(at, cut.start), cut.end, cut.role);
    at = Math.max(at, cut.end);
    side = cut.then ?? side;
  }
  add(at, marked.text.length, side);
  return found;
}

function cuts(marked: Marked): Cut[] {
  const found: Cut[] = [];
  for (const mark of marked.suggested) {
    const first = mark.kind === "+" ? "new" : "old";
    found.push({ start: mark.start, end: mark.body, role: "delimiter", then: first });
    if (mark.kind === "~") {
      found.push({ start: mark.middle, end: mark.middle + DIVIDER.length, role: "delimiter", then: "new" });
    }
    found.push({ start: mark.tail, end: mark.end, role: "delimiter", then: "plain" });
  }
  for (const mark of marked.comments) found.push({ start: mark.start, end: mark.end, role: "comment", then: null });
  for (const mark of marked.highlights) {
    found.push({ start: mark.start, end: mark.body, role: "edge", then: null });
    found.push({ start: mark.tail, end: mark.end, role: "edge", then: null });
  }
  return found.sort((one, other) => one.start - other.start);
}

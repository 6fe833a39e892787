// Carries edits over to a text that went another way: when the server begins a document anew, what
// was written here and not saved there is put back in, word by word.

import { ChangeSet } from "@codemirror/state";

import { wordDiff } from "../text/words.ts";

export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The edits that make `theirs` have what was changed from `base` to `mine`. */
export function rebased(base: string, mine: string, theirs: string): Edit[] {
  const others = editsBetween(base, theirs);
  const known = new Set(others.map(keyOf));
  // What both have is there already.
  const own = editsBetween(base, mine).filter((edit) => !known.has(keyOf(edit)));
  const found: Edit[] = [];
  ChangeSet.of(own, base.length)
    .map(ChangeSet.of(others, base.length))
    .iterChanges((from, to, _from, _to, text) => found.push({ from, to, insert: text.toString() }));
  return found;
}

const keyOf = ({ from, to, insert }: Edit) => `${from} ${to} ${insert}`;

export function editsBetween(before: string, after: string): Edit[] {
  const edits: Edit[] = [];
  let at = 0;
  for (const { old, added, same } of stretches(linesOf(before), linesOf(after))) {
    if (same) at += same.length;
    else at = refine(edits, at, old.join(""), added.join(""));
  }
  return edits;
}

function refine(edits: Edit[], start: number, old: string, added: string): number {
  let at = start;
  for (const { kind, text } of wordDiff(old, added)) {
    const last = edits.at(-1);
    if (kind === "same") at += text.length;
    else if (kind === "old") {
      edits.push({ from: at, to: at + text.length, insert: "" });
      at += text.length;
    } else if (last?.to === at && !last.insert) edits[edits.length - 1] = { ...last, insert: text };
    else edits.push({ from: at, to: at, insert: text });
  }
  return at;
}

const linesOf = (text: string) => text.split(/(?<=\n)/);

interface Stretch {
  readonly old: readonly string[];
  readonly added: readonly string[];
  readonly same: string;
}

/** Lines that stay, and runs of lines that differ between them, held apart by lines met only once. */
function stretches(one: readonly string[], other: readonly string[]): Stretch[] {
  const found: Stretch[] = [];
  const keep = (same: readonly string[]) => same.length && found.push({ old: [], added: [], same: same.join("") });
  const differ = (old: readonly string[], added: readonly string[]) => {
    const head = shared(old, added, (lines, step) => lines[step]);
    const tail = shared(old.slice(head), added.slice(head), (lines, step) => lines.at(-1 - step));
    keep(old.slice(0, head));
    const [cut, put] = [old.slice(head, old.length - tail), added.slice(head, added.length - tail)];
    if (cut.length + put.length) found.push({ old: cut, added: put, same: "" });
    keep(old.slice(old.length - tail));
  };
  let [a, b] = [0, 0];
  for (const [inOne, inOther] of anchors(one, other)) {
    differ(one.slice(a, inOne), other.slice(b, inOther));
    keep([one[inOne]!]);
    [a, b] = [inOne + 1, inOther + 1];
  }
  differ(one.slice(a), other.slice(b));
  return found;
}

type Line = (lines: readonly string[], step: number) => string | undefined;

function shared(one: readonly string[], other: readonly string[], line: Line): number {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && line(one, count) === line(other, count)) count++;
  return count;
}

/** Lines that stand once in each text, as many as come in the same order in both. */
function anchors(one: readonly string[], other: readonly string[]): [number, number][] {
  const there = once(other);
  const pairs = [...once(one)].flatMap(([line, at]): [number, number][] => (there.has(line) ? [[at, there.get(line)!]] : []));
  const tops: number[] = [];
  const before: number[] = [];
  pairs.forEach(([, at], index) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tops[middle]!]![1] < at) low = middle + 1;
      else high = middle;
    }
    before.push(low ? tops[low - 1]! : -1);
    tops[low] = index;
  });
  const found: [number, number][] = [];
  for (let index = tops.at(-1) ?? -1; index >= 0; index = before[index]!) found.push(pairs[index]!);
  return found.reverse();
}

function once(lines: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  const twice = new Set<string>();
  lines.forEach((line, at) => {
    if (found.has(line)) twice.add(line);
    else found.set(line, at);
  });
  for (const line of twice) found.delete(line);
  return found;
}

// A note as one reviews it: its changes in their paragraphs, and what is unchanged between them.

import { idsOf, type Marked, parse, runs, sides, suggestions } from "../critic/index.ts";

export interface Changed {
  readonly id: string;
  readonly old: string;
  readonly new: string;
  /** Where it stands in the text with its suggestions. */
  readonly start: number;
}

/** A stretch of text that is shown, with changes in it. */
export interface Passage {
  readonly parts: readonly (string | Changed)[];
}

/** Unchanged lines between two passages. */
export interface Fold {
  readonly lines: readonly string[];
}

export type Block = Passage | Fold;

const CONTEXT_MAX = 500;
const FOLDED_MIN = 3;

export const isFold = (block: Block): block is Fold => "lines" in block;

/** Part a note into passages around the changes that are named, and folds between them. */
export function blocksOf(text: string, wanted: ReadonlySet<string>): Block[] {
  const marked = parse(text);
  const all = suggestions(marked);
  const ids = idsOf(marked, all);
  const blocks: Block[] = [];
  let parts: (string | Changed)[] = [];
  let at = 0;
  const reading = readerOf(marked);
  const close = () => {
    if (parts.length) blocks.push({ parts });
    parts = [];
  };
  const pass = (gap: string, last: boolean) => {
    const { head, middle, tail } = parted(gap, blocks.length + parts.length === 0, last);
    if (lineCount(middle) < FOLDED_MIN) return void (gap && parts.push(gap));
    if (head) parts.push(head);
    close();
    blocks.push({ lines: middle.replace(/\n$/, "").split("\n") });
    if (tail) parts.push(tail);
  };
  all.forEach((one, index) => {
    const id = ids[index]!;
    if (!wanted.has(id)) return;
    pass(reading(at, one.start), false);
    parts.push({ id, start: one.start, ...sides(marked, one) });
    at = one.end;
  });
  pass(reading(at, text.length), true);
  close();
  return blocks;
}

/** What stands right behind a change, right before the next, and between. */
function parted(gap: string, first: boolean, last: boolean): { head: string; middle: string; tail: string } {
  const cut = gap.search(/\n[ \t]*\n/);
  let head = first ? "" : cut < 0 ? gap : gap.slice(0, cut + 1);
  if (head.length > CONTEXT_MAX) head = head.slice(0, blankNear(head, CONTEXT_MAX));
  const rest = gap.slice(head.length);
  const from = /\n[ \t]*\n(?![\s\S]*\n[ \t]*\n)/.exec(rest);
  let start = last ? rest.length : from ? from.index + from[0].length : 0;
  if (!last && rest.length - start > CONTEXT_MAX) start = rest.length - CONTEXT_MAX + blankNear(rest.slice(-CONTEXT_MAX), 0);
  return { head, middle: rest.slice(0, start), tail: rest.slice(start) };
}

function blankNear(text: string, place: number): number {
  const found = text.slice(place).search(/\s/);
  return found < 0 ? place : place + found + 1;
}

const lineCount = (text: string) => (text.trim() ? text.replace(/\n$/, "").split("\n").length : 0);

/** Reads any part of a text as it would read if the suggestions in it were accepted. */
function readerOf(marked: Marked): (from: number, to: number) => string {
  const shown = runs(marked).filter(({ role }) => role === "plain" || role === "new");
  let next = 0;
  return (from, to) => {
    let text = "";
    while (next < shown.length && shown[next]!.end <= from) next++;
    for (let run = shown[next]; run && run.start < to; run = shown[++next]) {
      text += marked.text.slice(Math.max(run.start, from), Math.min(run.end, to));
      if (run.end > to) break;
    }
    return text;
  };
}

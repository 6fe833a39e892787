// Changes shown in a rendered note: what it was, rendered too, is compared block by block, then by
// words. Whatever cannot be shown in words (a picture, where a link leads) is outlined.

import { type Stretch, wordDiff } from "../text/words.ts";

const BLOCKS_MAX = 2000;
const PAIRS_MAX = 400;
/** What part of two blocks has to be the same for one to be the other, changed. */
const ALIKE_MIN = 0.4;

/** Mark in `now` what differs from `before`; what went is put in from there. Both are whole. */
export function markChanges(now: HTMLElement, before: HTMLElement): void {
  const [olds, news] = [[...before.children], [...now.children]] as [HTMLElement[], HTMLElement[]];
  let [o, n] = [0, 0];
  for (const [a, b] of [...sameBlocks(olds.map(keyOf), news.map(keyOf)), [olds.length, news.length] as const]) {
    compareBlocks(olds.slice(o, a), news.slice(n, b), news[b] ?? null, now);
    [o, n] = [a + 1, b + 1];
  }
}

/** What a block shows, whatever line it stands in. */
function keyOf(block: HTMLElement): string {
  return block.outerHTML.replaceAll(/ (?:data-line|id)="[^"]*"/g, "");
}

/** Blocks that are the same before and after, in order. */
function sameBlocks(one: readonly string[], other: readonly string[]): [number, number][] {
  let head = 0;
  while (head < one.length && head < other.length && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < one.length - head && tail < other.length - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  const found: [number, number][] = Array.from({ length: head }, (_, at) => [at, at]);
  const [first, second] = [one.slice(head, one.length - tail), other.slice(head, other.length - tail)];
  if (first.length * second.length <= BLOCKS_MAX * BLOCKS_MAX) for (const [a, b] of longest(first, second, (old, now) => old === now)) found.push([head + a, head + b]);
  for (let at = tail; at > 0; at--) found.push([one.length - at, other.length - at]);
  return found;
}

/** The longest row of pairs. */
function longest<Each>(one: readonly Each[], other: readonly Each[], isPair: (old: Each, now: Each) => boolean): [number, number][] {
  const wide = other.length + 1;
  const pairs = one.map((old) => other.map((now) => isPair(old, now)));
  const lengths = new Uint32Array((one.length + 1) * wide);
  for (let a = one.length - 1; a >= 0; a--) {
    for (let b = other.length - 1; b >= 0; b--) {
      lengths[a * wide + b] = pairs[a]![b] ? lengths[(a + 1) * wide + b + 1]! + 1 : Math.max(lengths[(a + 1) * wide + b]!, lengths[a * wide + b + 1]!);
    }
  }
  const found: [number, number][] = [];
  for (let a = 0, b = 0; a < one.length && b < other.length; ) {
    if (pairs[a]![b] && lengths[a * wide + b] === lengths[(a + 1) * wide + b + 1]! + 1) found.push([a++, b++]);
    else if (lengths[(a + 1) * wide + b]! >= lengths[a * wide + b + 1]!) a++;
    else b++;
  }
  return found;
}

/** Blocks that are alike are compared by words; any others went or came as a whole. */
function compareBlocks(olds: HTMLElement[], news: HTMLElement[], next: HTMLElement | null, box: HTMLElement): void {
  const few = olds.length * news.length <= PAIRS_MAX;
  let [o, n] = [0, 0];
  for (const [a, b] of [...longest(few ? olds : [], few ? news : [], areAlike), [olds.length, news.length] as const]) {
    replaceBlocks(olds.slice(o, a), news.slice(n, b), news[b] ?? next, box);
    if (olds[a] && news[b]) compareWords(olds[a], news[b]);
    [o, n] = [a + 1, b + 1];
  }
}

function areAlike(old: HTMLElement, now: HTMLElement): boolean {
  if (old.tagName !== now.tagName) return false;
  const stretches = wordDiff(textOf(old), textOf(now));
  const sum = (kinds: string) => stretches.reduce((all, { kind, text }) => all + (kinds.includes(kind) ? text.trim().length : 0), 0);
  return sum("same") >= ALIKE_MIN * Math.min(sum("same old"), sum("same new"));
}

function replaceBlocks(olds: HTMLElement[], news: HTMLElement[], next: HTMLElement | null, box: HTMLElement): void {
  const place = news[0] ?? next;
  for (const old of olds) {
    for (const anchor of old.querySelectorAll(".anchor")) anchor.remove();
    old.removeAttribute("data-line");
    for (const inner of old.querySelectorAll("[data-line]")) inner.removeAttribute("data-line");
    wrap(textsOf(old), "del");
    old.classList.add("went");
    box.insertBefore(old, place);
  }
  for (const block of news) {
    wrap(textsOf(block), "ins");
    block.classList.add("came");
  }
}

function compareWords(old: HTMLElement, block: HTMLElement): void {
  const stretches = wordDiff(textOf(old), textOf(block));
  if (stretches.every(({ kind }) => kind === "same")) block.classList.add("changed");
  else showStretches(block, stretches);
}

function showStretches(block: HTMLElement, stretches: readonly Stretch[]): void {
  const texts = textsOf(block);
  let text = texts.shift();
  for (const { kind, text: words } of stretches) {
    if (kind === "old") {
      // At the very end of a block nothing is left to stand before.
      if (text) text.before(element("del", words));
      else (lastText(block)?.parentElement ?? block).append(element("del", words));
      continue;
    }
    for (let left = words.length; left > 0 && text; ) {
      const taken = Math.min(left, text.length);
      const rest = taken < text.length ? text.splitText(taken) : texts.shift();
      if (kind === "new") wrap([text], "ins");
      left -= taken;
      text = rest;
    }
  }
}

/** The text of a block, without what the page has put there to be clicked. */
function textsOf(block: HTMLElement): Text[] {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (text.length && !text.parentElement?.closest("button, .anchor")) found.push(text);
  }
  return found;
}

const textOf = (block: HTMLElement) => textsOf(block).map(({ data }) => data).join("");

const lastText = (block: HTMLElement) => textsOf(block).at(-1);

function wrap(texts: readonly Text[], tag: "ins" | "del"): void {
  for (const text of texts) {
    // Line ends between rows, items and paragraphs are no text.
    if (!text.data.trim() && text.data.includes("\n") && !text.parentElement?.closest("pre")) continue;
    const around = document.createElement(tag);
    text.replaceWith(around);
    around.append(text);
  }
}

function element(tag: "ins" | "del", words: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = words;
  return made;
}

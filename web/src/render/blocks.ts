// What Obsidian adds to the blocks of Markdown: comments, callouts, block ids, task boxes; and from
// which line of the note each block comes.

import type { StateBlock, StateCore, Token } from "markdown-it";

import type { Markdown } from "./markdown.ts";

const CALLOUT = /^\[!([^\]|\n]{1,40})(?:\|([^\]\n]*))?\]([+-]?)[ \t]*([^\n]*)(?:\n|$)/;
const BLOCK_ID = /(?:^|[ \t\n])\^([A-Za-z0-9-]{1,64})[ \t]*$/;
const TASK = /^\[(.)\](?:[ \t]+|$)/u;

const KINDS: Record<string, string> = {};
for (const names of [
  "note", "abstract summary tldr", "info", "todo", "tip hint important", "success check done", "question help faq",
  "warning caution attention", "failure fail missing", "danger error", "bug", "example", "quote cite",
]) {
  const [kind, ...others] = names.split(" ");
  for (const name of [kind!, ...others]) KINDS[name] = kind!;
}

export function blockRules(markdown: Markdown): void {
  markdown.block.ruler.before("fence", "comment", comment, { alt: ["paragraph", "reference", "blockquote", "list"] });
  markdown.core.ruler.before("inline", "callouts", callouts);
  markdown.core.ruler.before("inline", "block_ids", blockIds);
  markdown.core.ruler.before("inline", "tasks", tasks);
  markdown.core.ruler.push("lines", lines);
  markdown.core.ruler.push("alignment", alignment);
}

/** Lines from one with `%%` to the next with it; to the end, if there is none. */
function comment(state: StateBlock, first: number, last: number, silent: boolean): boolean {
  const text = (line: number) => state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]);
  const opening = text(first);
  if (!opening.startsWith("%%")) return false;
  const closed = opening.indexOf("%%", 2);
  if (closed >= 0 && opening.slice(closed + 2).trim()) return false;
  if (silent) return true;
  let line = first + 1;
  if (closed < 0) {
    while (line < last && !text(line).includes("%%")) line++;
    line++;
  }
  state.line = Math.min(line, last);
  return true;
}

/** `> [!kind]± title`: the quotation becomes a box, which may be folded. */
function callouts(state: StateCore): void {
  const tokens: Token[] = [];
  const closing: Token[] = [];
  const closers = new Map<Token, Token[]>();
  const bodies = new Set<Token>();
  const all = state.tokens;
  for (let at = 0; at < all.length; at++) {
    const token = all[at]!;
    if (token.type === "blockquote_open") closing.push(token);
    if (token.type === "blockquote_close") {
      const opened = closing.pop();
      const more = opened && closers.get(opened);
      if (more) {
        token.tag = opened.tag;
        tokens.push(...more);
      }
    }
    tokens.push(token);
    if (token.type !== "blockquote_open" || all[at + 1]?.type !== "paragraph_open") continue;
    const inline = all[at + 2]!;
    const found = CALLOUT.exec(inline.content);
    if (!found) continue;
    tokens.push(...head(state, token, found, inline));
    closers.set(token, [made(state, "callout_body_close", "div", -1)]);
    inline.content = inline.content.slice(found[0].length);
    bodies.add(token);
    if (inline.content.trim()) inline.map = inline.map && [inline.map[0] + 1, inline.map[1]];
    else at += 3;
  }
  state.tokens = tokens;
}

function head(state: StateCore, box: Token, [, name, , fold, title]: RegExpExecArray, inline: Token): Token[] {
  const kind = name!.trim().toLowerCase();
  box.tag = fold ? "details" : "div";
  box.attrSet("class", "callout");
  box.attrSet("data-callout", KINDS[kind] ?? "note");
  if (fold === "+") box.attrSet("open", "");
  const words = made(state, "inline", "", 0);
  words.content = title!.trim() || name!.trim().replace(/^./u, (letter) => letter.toUpperCase()).replaceAll("-", " ");
  words.children = [];
  words.map = inline.map;
  const open = made(state, "callout_title_open", fold ? "summary" : "div", 1);
  open.attrSet("class", "callout-title");
  const body = made(state, "callout_body_open", "div", 1);
  body.attrSet("class", "callout-body");
  const close = made(state, "callout_title_close", fold ? "summary" : "div", -1);
  return [open, made(state, "words_open", "span", 1), words, made(state, "words_close", "span", -1), close, body];
}

function made(state: StateCore, type: string, tag: string, nesting: -1 | 0 | 1): Token {
  const token = new state.Token(type, tag, nesting);
  token.block = true;
  return token;
}

/** `^id` at the end of a block names it; it is not shown. */
function blockIds(state: StateCore): void {
  const kept: Token[] = [];
  let previous: Token | null = null;
  for (let at = 0; at < state.tokens.length; at++) {
    const token = state.tokens[at]!;
    const inline = state.tokens[at + 1];
    const found = inline?.type === "inline" && (token.nesting === 1) ? BLOCK_ID.exec(inline.content) : null;
    if (found && inline) {
      inline.content = inline.content.slice(0, found.index);
      const alone = !inline.content.trim() && token.type === "paragraph_open";
      // The paragraph of a plain list item is not made into an element; the item is.
      const item = token.hidden ? kept.findLast((each) => each.type === "list_item_open") : undefined;
      (alone ? previous : item ?? token)?.attrSet("data-block", found[1]!);
      if (alone) {
        at += 2;
        continue;
      }
    }
    if (token.nesting === 1 && token.level === 0) previous = token;
    kept.push(token);
  }
  state.tokens = kept;
}

/** `- [ ] task`: what stands in the brackets is kept beside the item. */
function tasks(state: StateCore): void {
  const { tokens } = state;
  tokens.forEach((token, at) => {
    if (token.type !== "inline" || tokens[at - 1]?.type !== "paragraph_open" || tokens[at - 2]?.type !== "list_item_open") return;
    const mark = TASK.exec(token.content)?.[1];
    if (!mark) return;
    token.content = token.content.replace(TASK, "");
    tokens[at - 2]!.attrSet("data-task", mark === " " ? "open" : "done");
  });
}

/** Say on each block from which line it comes. */
function lines(state: StateCore): void {
  const first = Number((state.env as { firstLine?: number }).firstLine ?? 0);
  for (const token of state.tokens) {
    if (token.map && (token.nesting === 1 || token.type === "fence" || token.type === "code_block" || token.type === "hr" || token.type === "math_block")) {
      token.attrSet("data-line", String(first + token.map[0]));
    }
  }
}

/** The page's policy allows no style in the text: alignment is said by an attribute. */
function alignment({ tokens }: StateCore): void {
  for (const token of tokens) {
    const align = /^text-align:(left|center|right)$/.exec(String(token.attrGet("style") ?? ""))?.[1];
    if (token.attrs) token.attrs = token.attrs.filter(([name]) => name !== "style");
    if (align) token.attrSet("align", align);
  }
}

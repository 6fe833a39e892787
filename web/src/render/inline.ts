// What Obsidian adds to a line of Markdown: links, embeds, highlights, comments, tags.

import type { StateInline } from "markdown-it";

import type { Markdown } from "./markdown.ts";

const TAG = /#[\p{L}\p{N}_\-/\p{Extended_Pictographic}\u200d\ufe0f]+/uy;
const LOOSE_IMAGE = /!\[([^[\]\n]*)\]\(([^()\n<>"]*\.[a-z0-9]{1,10})\)/iy;

export function inlineRules(markdown: Markdown): void {
  const { ruler } = markdown.inline;
  ruler.before("link", "wikilink", wikilink);
  ruler.before("link", "loose_image", looseImage);
  ruler.before("emphasis", "highlight", highlight);
  ruler.before("emphasis", "comment", comment);
  ruler.before("link", "tag", tag);
}

/** `[[note]]` and `![[note]]`. */
function wikilink(state: StateInline, silent: boolean): boolean {
  const embeds = state.src.startsWith("![[", state.pos);
  if (!embeds && !state.src.startsWith("[[", state.pos)) return false;
  const start = state.pos + (embeds ? 3 : 2);
  const end = state.src.indexOf("]]", start);
  const link = end < 0 || end + 2 > state.posMax ? "" : state.src.slice(start, end);
  if (!link.trim() || /[[\]\n]/.test(link)) return false;
  if (!silent) {
    const bar = link.indexOf("|");
    const shown = bar < 0 ? link : link.slice(bar + 1);
    const open = state.push(embeds ? "embed_open" : "link_open", embeds ? "span" : "a", 1);
    open.attrs = embeds ? [["data-embed", link]] : [["data-link", link], ["href", "#"]];
    state.push("text", "", 0).content = shown.trim() || link;
    state.push(embeds ? "embed_close" : "link_close", embeds ? "span" : "a", -1);
  }
  state.pos = end + 2;
  return true;
}

/** `![](a b.png)`: a space in the address of a picture, which CommonMark does not take. */
function looseImage(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x21) return false;
  LOOSE_IMAGE.lastIndex = state.pos;
  const found = LOOSE_IMAGE.exec(state.src);
  if (!found?.[2]?.includes(" ") || found[2] !== found[2].trim()) return false;
  if (!silent) {
    const image = state.push("image", "img", 0);
    image.attrs = [["src", found[2]], ["alt", ""]];
    image.content = found[1]!;
    image.children = [Object.assign(new state.Token("text", "", 0), { content: found[1]! })];
  }
  state.pos += found[0].length;
  return true;
}

/** `==text==`. */
function highlight(state: StateInline, silent: boolean): boolean {
  const start = state.pos + 2;
  if (!state.src.startsWith("==", state.pos) || state.src[start] === "=" || /\s/.test(state.src[start] ?? " ")) return false;
  const end = state.src.indexOf("==", start + 1);
  if (end < 0 || end + 2 > state.posMax || /\s/.test(state.src[end - 1]!)) return false;
  if (!silent) {
    const whole = state.posMax;
    state.push("mark_open", "mark", 1);
    state.pos = start;
    state.posMax = end;
    state.md.inline.tokenize(state);
    state.push("mark_close", "mark", -1);
    state.posMax = whole;
  }
  state.pos = end + 2;
  return true;
}

/** `%%text%%` is for the writer alone. */
function comment(state: StateInline): boolean {
  if (!state.src.startsWith("%%", state.pos)) return false;
  const end = state.src.indexOf("%%", state.pos + 2);
  if (end < 0 || end + 2 > state.posMax) return false;
  state.pos = end + 2;
  return true;
}

function tag(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x23) return false;
  const before = state.pos ? state.src[state.pos - 1]! : " ";
  if (state.linkLevel > 0 || !/[\s([{,;:!?'"]/.test(before)) return false;
  TAG.lastIndex = state.pos;
  const found = TAG.exec(state.src)?.[0];
  if (!found || /^#[\d/_-]+$/.test(found)) return false;
  if (!silent) {
    const open = state.push("link_open", "a", 1);
    open.attrs = [["data-tag", found.slice(1)], ["href", "#"]];
    state.push("text", "", 0).content = found;
    state.push("link_close", "a", -1);
  }
  state.pos += found.length;
  return true;
}

// `$formula$` and `$$formula$$`: found here, drawn by `mathml.ts`.

import type { StateBlock, StateInline } from "markdown-it";

import type { Markdown } from "./markdown.ts";

export function mathRules(markdown: Markdown): void {
  markdown.inline.ruler.before("escape", "math", inline);
  markdown.block.ruler.before("fence", "math", block, { alt: ["paragraph", "reference", "blockquote", "list"] });
  const { escapeHtml } = markdown.utils;
  const drawn = (tag: string, kind: string, tex: string, line = "") =>
    `<${tag} class="math${kind}" data-tex="${escapeHtml(tex)}"${line}>${escapeHtml(tex)}</${tag}>`;
  markdown.renderer.rules["math_inline"] = (tokens, at) => drawn("span", tokens[at]!.markup === "$$" ? " display" : "", tokens[at]!.content);
  markdown.renderer.rules["math_block"] = (tokens, at) => drawn("div", " display", tokens[at]!.content, ` data-line="${tokens[at]!.attrGet("data-line") ?? ""}"`);
}

function inline(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x24) return false;
  const markup = state.src.startsWith("$$", state.pos) ? "$$" : "$";
  const start = state.pos + markup.length;
  const end = closing(state.src, markup, start, state.posMax);
  if (end < 0) return false;
  if (!silent) {
    const token = state.push("math_inline", "span", 0);
    token.markup = markup;
    token.content = state.src.slice(start, end).trim();
  }
  state.pos = end + markup.length;
  return true;
}

/** As Obsidian: no blank inside the signs, no digit behind the closing one, so that prices stay prices. */
function closing(text: string, markup: string, start: number, most: number): number {
  const first = text[start];
  if (first === undefined || (markup === "$" && /[\s$]/.test(first))) return -1;
  for (let end = text.indexOf(markup, start); end >= 0 && end + markup.length <= most; end = text.indexOf(markup, end + 1)) {
    if (text[end - 1] === "\\" || end === start) continue;
    if (markup === "$$") return end;
    if (!/\s/.test(text[end - 1]!) && !/\d/.test(text[end + 1] ?? "")) return end;
  }
  return -1;
}

function block(state: StateBlock, first: number, last: number, silent: boolean): boolean {
  const text = (line: number) => state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]);
  const opening = text(first);
  if (!opening.startsWith("$$")) return false;
  const rows = [opening.slice(2)];
  let line = first;
  let end = rows[0]!.lastIndexOf("$$");
  if (end >= 0 && rows[0]!.slice(end + 2).trim()) return false;
  while (end < 0) {
    if (++line >= last) return false;
    rows.push(text(line));
    end = rows.at(-1)!.lastIndexOf("$$");
  }
  if (rows.at(-1)!.slice(end + 2).trim()) return false;
  if (silent) return true;
  rows[rows.length - 1] = rows.at(-1)!.slice(0, end);
  const token = state.push("math_block", "div", 0);
  token.block = true;
  token.map = [first, line + 1];
  token.content = rows.join("\n").trim();
  state.line = line + 1;
  return true;
}

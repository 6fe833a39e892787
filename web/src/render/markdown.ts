// Markdown as Obsidian reads it, as HTML that still has to be sanitised.

import MarkdownIt from "markdown-it";
import footnotes from "markdown-it-footnote";

import { blockRules } from "./blocks.ts";
import { harmless } from "./html.ts";
import { inlineRules } from "./inline.ts";
import { mathRules } from "./math.ts";
import { htmlPieces, type Piece, pieceRules } from "./pieces.ts";

export type Markdown = InstanceType<typeof MarkdownIt>;

const DEPTH_MAX = 100;

const markdown = new MarkdownIt({ html: true, linkify: true, maxNesting: DEPTH_MAX });
inlineRules(markdown);
blockRules(markdown);
mathRules(markdown);
markdown.use(footnotes);
pieceRules(markdown);

const { rules } = markdown.renderer;
rules["html_inline"] = (tokens, at) => harmless(tokens[at]!.content);
rules["html_block"] = (tokens, at) => harmless(tokens[at]!.content);
rules["image"] = (tokens, at, options, env, self) => {
  const token = tokens[at]!;
  const alt = self.renderInlineAsText(token.children ?? [], options, env);
  const title = token.attrGet("title");
  const { escapeHtml } = markdown.utils;
  return `<img data-src="${escapeHtml(String(token.attrGet("src") ?? ""))}" alt="${escapeHtml(alt)}"${title ? ` title="${escapeHtml(String(title))}"` : ""}>`;
};
rules["fence"] = (tokens, at) => {
  const { info, content } = tokens[at]!;
  const language = /^[\w+#.-]{1,40}/.exec(info.trim())?.[0].toLowerCase() ?? "";
  const line = tokens[at]!.attrGet("data-line") ?? "";
  return `<pre data-line="${line}"><code class="language-${language || "none"}">${markdown.utils.escapeHtml(content)}</code></pre>\n`;
};
rules["footnote_ref"] = (tokens, at) => `<sup class="footnote-ref"><a href="#" data-note-ref="${numberOf(tokens[at]!.meta)}">${numberOf(tokens[at]!.meta)}</a></sup>`;
rules["footnote_block_open"] = () => '<section class="footnotes"><ol>';
rules["footnote_block_close"] = () => "</ol></section>";
rules["footnote_open"] = (tokens, at) => `<li data-note="${numberOf(tokens[at]!.meta)}">`;
rules["footnote_anchor"] = (tokens, at) => (Number(tokens[at]!.meta?.["subId"]) > 0 ? "" : ` <a class="footnote-back" href="#" data-note-back="${numberOf(tokens[at]!.meta)}">↩</a>`);

function numberOf(meta: Record<string, unknown> | null): string {
  return String(Number(meta?.["id"]) + 1);
}

/** Render a text whose first line is this one of its note. */
export function toHtml(text: string, firstLine: number, breaks: boolean): string {
  markdown.set({ breaks });
  return markdown.render(text, { firstLine });
}

/** The same in pieces, in order, each made when it is asked for. */
export function toPieces(text: string, firstLine: number, breaks: boolean): Generator<Piece, void> {
  return htmlPieces(markdown, text, firstLine, breaks);
}

// How Markdown looks while it is written: headings have their size, syntax steps back.

import { defineLanguageFacet, HighlightStyle, Language, languageDataProp, LanguageSupport, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";
import { type BlockContext, GFM, type Line, type MarkdownConfig, parser as commonmark } from "@lezer/markdown";

const style = HighlightStyle.define([
  { tag: tags.heading1, class: "md-h1" },
  { tag: tags.heading2, class: "md-h2" },
  { tag: tags.heading3, class: "md-h3" },
  { tag: [tags.heading4, tags.heading5, tags.heading6], class: "md-h4" },
  { tag: tags.strong, class: "md-strong" },
  { tag: tags.emphasis, class: "md-em" },
  { tag: tags.strikethrough, class: "md-strike" },
  { tag: tags.monospace, class: "md-code" },
  { tag: tags.quote, class: "md-quote" },
  { tag: [tags.link, tags.url], class: "md-url" },
  { tag: [tags.processingInstruction, tags.meta, tags.contentSeparator], class: "md-syntax" },
  { tag: tags.comment, class: "md-comment" },
]);

/** Without this, the closing dashes of frontmatter make a heading of its last line. */
const frontmatter: MarkdownConfig = {
  defineNodes: [{ name: "Frontmatter", block: true, style: tags.meta }],
  parseBlock: [
    {
      name: "Frontmatter",
      before: "HorizontalRule",
      parse(context: BlockContext, line: Line) {
        if (context.lineStart !== 0 || line.text.trimEnd() !== "---") return false;
        const start = context.lineStart;
        while (context.nextLine()) {
          if (line.text.trimEnd() === "---") {
            const end = context.lineStart + line.text.length;
            context.nextLine();
            context.addElement(context.elt("Frontmatter", start, end));
            return true;
          }
        }
        context.addElement(context.elt("Frontmatter", start, context.prevLineEnd()));
        return true;
      },
    },
  ],
};

// Not @codemirror/lang-markdown: it brings the parsers of HTML, CSS and JavaScript, and completion.
const data = defineLanguageFacet({ commentTokens: { block: { open: "<!--", close: "-->" } } });
const parser = commonmark.configure([GFM, frontmatter, { props: [languageDataProp.add({ Document: data })] }]);
const language = new Language(data, parser, [], "markdown");

export function look(): Extension {
  return [new LanguageSupport(language), syntaxHighlighting(style)];
}

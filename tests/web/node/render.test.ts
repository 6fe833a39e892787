// What the renderer makes of Markdown, before it is sanitised and shown.
import assert from "node:assert/strict";
import { test } from "node:test";

import { accepted, idsOf, parse, suggestions } from "../../../web/src/critic/index.ts";
import { harmless } from "../../../web/src/render/html.ts";
import { toHtml, toPieces } from "../../../web/src/render/markdown.ts";
import type { Piece } from "../../../web/src/render/pieces.ts";
import { linkOf } from "../../../web/src/render/reading.ts";
import { sectionOf } from "../../../web/src/render/sections.ts";
import { fileKind } from "../../../web/src/text/files.ts";
import { plainHeading } from "../../../web/src/text/headings.ts";
import { lineAt, markedPlace, markedPlaceOf, placeIn, readPlace, tickAt } from "../../../web/src/text/places.ts";

const html = (text: string, breaks = true) => toHtml(text, 0, breaks).replace(/ data-line="\d+"/g, "").trim();

test("what Obsidian adds to a line", () => {
  assert.equal(html("==a *b*=="), "<p><mark>a <em>b</em></mark></p>");
  assert.equal(html("a ==> b and x == y"), "<p>a ==&gt; b and x == y</p>");
  assert.equal(html("a %%not\nseen%% b"), "<p>a  b</p>");
  assert.equal(html("`==x==` `%%y%%` `#z`"), "<p><code>==x==</code> <code>%%y%%</code> <code>#z</code></p>");
  assert.match(html("see #a/b, #1 and x#y"), /<p>see <a data-tag="a\/b" href="#">#a\/b<\/a>, #1 and x#y<\/p>/);
  assert.match(html("[[A|b]] ![[c.png|3]]"), /<a data-link="A\|b" href="#">b<\/a> <span data-embed="c.png\|3">3<\/span>/);
  assert.equal(html("[[]] [[a\nb]] [["), "<p>[[]] [[a<br>\nb]] [[</p>");
  assert.equal(html("![](img/a b.png)"), '<p><img data-src="img/a b.png" alt=""></p>');
});

test("single newlines are kept, or joined", () => {
  assert.equal(html("a\nb"), "<p>a<br>\nb</p>");
  assert.equal(html("a\nb", false), "<p>a\nb</p>");
});

test("formulas, and prices that are none", () => {
  assert.equal(html("$x_1$"), '<p><span class="math" data-tex="x_1">x_1</span></p>');
  assert.equal(html("costs $5 and $10, or $ 3 $"), "<p>costs $5 and $10, or $ 3 $</p>");
  assert.equal(html("$$\na\n\nb\n$$"), '<div class="math display" data-tex="a\n\nb">a\n\nb</div>');
  assert.match(html('$"><b>$'), /data-tex="&quot;&gt;&lt;b&gt;"/);
});

test("callouts: kind, fold, title, nesting", () => {
  assert.match(html("> [!HINT] Title\n> Body").replace(/\n/g, ""), /^<div class="callout" data-callout="tip"><div class="callout-title"><span>Title<\/span><\/div><div class="callout-body"><p>Body<\/p><\/div><\/div>$/);
  assert.match(html("> [!bug]-\n> x").replace(/\n/g, ""), /^<details class="callout" data-callout="bug"><summary class="callout-title"><span>Bug<\/span>/);
  assert.match(html("> [!x]+ y"), /<details class="callout" data-callout="note" open="">/);
  assert.equal(html("> [!tip] a\n> > [!bug] b\n> > c").match(/class="callout"/g)?.length, 2);
  assert.match(html("> plain [!tip]"), /<blockquote>/);
});

test("comments over paragraphs, block ids and footnotes are not shown raw", () => {
  assert.equal(html("a\n\n%%\nb\n\nc\n%%\n\nd"), "<p>a</p>\n<p>d</p>");
  assert.equal(html("a ^id-1"), '<p data-block="id-1">a</p>');
  assert.match(html("- a\n- b ^id-1\n- c"), /<li>a<\/li>\n<li data-block="id-1">b<\/li>/);
  assert.match(html("| a |\n|---|\n| b |\n\n^tab"), /^<table data-block="tab">/);
  assert.match(html("a[^1]\n\n[^1]: b"), /footnote-ref.*<section class="footnotes">/s);
  assert.match(html("- [ ] a\n- [x] b"), /<li data-task="open">a<\/li>\n<li data-task="done">b<\/li>/);
});

test("HTML in a note is written anew, or shown", () => {
  assert.equal(harmless("<b onclick=x>"), "<b>");
  assert.equal(harmless('<a href="x" style="y" title=\'z\'>'), '<a href="x" title="z">');
  assert.equal(harmless("<script>x</script>"), "&lt;script&gt;x&lt;/script&gt;");
  assert.equal(harmless("<img src=x onerror=alert(1)>"), '<img data-src="x">');
  assert.equal(harmless("<!-- a --> b <name>"), " b &lt;name&gt;");
  assert.equal(harmless('<iframe src="https://x.org/y" onload=z></iframe>'), '<a href="https://x.org/y" data-frame="">https://x.org/y</a>');
  assert.equal(harmless('<b title="<img src=x onerror=alert(1)>">'), '&lt;b title="<img data-src="x">"&gt;');
});

test("sections of a note", () => {
  const text = "# A\n\none\n\n## B: *b*\n\ntwo ^blk\n\n- x\n- y ^item\n  - z\n\n## C\n\nthree\n";
  assert.equal(sectionOf(text, "B b")?.text, "## B: *b*\n\ntwo ^blk\n\n- x\n- y ^item\n  - z\n\n");
  assert.equal(sectionOf(text, "A#C")?.text, "## C\n\nthree\n");
  assert.equal(sectionOf(text, "^blk")?.text, "two ^blk");
  assert.equal(sectionOf(text, "^item")?.text.trim(), "- y ^item\n  - z");
  assert.equal(sectionOf(text, "^item")?.line, 9);
  assert.equal(sectionOf(text, "none"), null);
  assert.equal(plainHeading("What: a [[N|word]] ^x"), "what a word");
  const asked = "## What is the Hub?\n\none\n\n## D&D (5th)\n\ntwo\n\n## It's well-known\n\nthree\n";
  assert.equal(sectionOf(asked, "What is the Hub")?.text, "## What is the Hub?\n\none\n\n");
  assert.equal(sectionOf(asked, "D D 5th")?.text, "## D&D (5th)\n\ntwo\n\n");
  assert.equal(sectionOf(asked, "It's well-known")?.line, 8);
  assert.equal(sectionOf(asked, "Its well known"), null);
});

test("links are taken apart", () => {
  assert.deepEqual(linkOf("N#H#^b|al"), { note: "N", place: "H#^b", alias: "al" });
  assert.deepEqual(linkOf("#^b"), { note: "", place: "^b", alias: "" });
  assert.equal(fileKind("a.PNG"), "picture");
  assert.equal(fileKind("v1.2"), null);
});

test("places in a text with suggestions, and as it reads", () => {
  const marked = parse("ab {++new ++}{--old --}cd\nef");
  const read = accepted(marked.text);
  assert.equal(read, "ab new cd\nef");
  for (let at = 0; at < read.length; at++) assert.equal(marked.text[markedPlace(marked, at)], read[at]);
  assert.equal(readPlace(marked, marked.text.indexOf("ef")), read.indexOf("ef"));
  assert.equal(lineAt(read, read.indexOf("ef") + 1), 1);
  const pending = suggestions(marked);
  const [id] = idsOf(marked, pending);
  assert.equal(markedPlaceOf(marked, pending, `~!${id}`)?.from, marked.text.indexOf("new"));
  assert.equal(markedPlaceOf(marked, pending, "~!unknown"), null);
  assert.equal(markedPlaceOf(marked, pending, "~@4")?.from, 4);
  assert.equal(markedPlaceOf(marked, pending, "~@999")?.from, marked.text.length);
  assert.equal(markedPlaceOf(marked, pending, "~new cd"), null);
});

test("passages, headings and blocks are found, tasks are ticked", () => {
  const text = "# One\n\nThe quick\nbrown fox jumps. ^fox\n\n## Two\n";
  assert.deepEqual(placeIn(text, "~…quick brown fox"), { from: 11, to: 26 });
  assert.equal(placeIn(text, "~nothing of it"), null);
  assert.equal(placeIn(text, "two")?.from, text.indexOf("## Two"));
  assert.equal(placeIn(text, "^fox")?.from, text.indexOf("brown"));
  assert.equal(tickAt("a\n- [ ] b", 1), 5);
  assert.equal(tickAt("> 1. [x] b", 0), 6);
  assert.equal(tickAt("- no", 0), null);
});

/** Join pieces as the page does: what a list or table ends and begins anew with goes. */
function joined(pieces: Iterable<Piece>): string {
  let whole = "";
  for (const { html, goesOn } of pieces) {
    if (goesOn) whole = whole.replace(/(<\/tbody>\n)?<\/(table|[uo]l)>\n$/, "") + html.replace(/^<(table|[uo]l)[^>]*>\n(<tbody[^>]*>\n)?/, "");
    else whole += html;
  }
  return whole;
}

test("a long text in pieces is the same as in one", () => {
  const blocks = [
    "# Heading *one*", "Words with [[Link|a link]], #tag, [a reference][here] and a note[^1].\nSecond line.", "- [ ] task\n- [x] done\n\n  more\n  - deeper",
    "> [!tip]- Title\n> text\n>\n> > [!bug]\n> > inner", "```js\nconst a = 1;\n\n# no heading\n```", "| a | b |\n|:--|--:|\n| 1 | 2 |", "$$\nx^2\n$$", "%%\nhidden\n\nstill\n%%", "<details><summary>More</summary>",
    "</details>", "Paragraph ^block-1", "^block-2", "[here]: https://example.org/x", "[^1]: The note *itself*.", "[^two]: Another,\n\n    with two paragraphs.", "Again[^1] and[^two] and ^[inline *note*].", "---", "1. one\n2. two", "<div>\n\nwithin\n\n</div>",
    "word ".repeat(3000), "- item with [[Link]]\n  - deeper\n".repeat(200), "3. number\n\n   more\n".repeat(300), "| a | b |\n|:--|--:|\n" + "| 1 | `x` |\n".repeat(400), "- [ ] tick\n\n" + "- x\n".repeat(1000),
    "> " + "- quoted\n> ".repeat(500), `- outer\n${"  - inner\n".repeat(500)}`,
  ];
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  let [most, cuts] = [0, 0];
  for (let round = 0; round < 80; round++) {
    const text = Array.from({ length: 5 + random(60) }, () => blocks[random(blocks.length)]!).join("\n\n");
    const pieces = [...toPieces(text, 3, true)];
    assert.equal(joined(pieces), toHtml(text, 3, true));
    most = Math.max(most, pieces.length);
    cuts += pieces.filter(({ goesOn }) => goesOn).length;
  }
  assert.ok(most > 3, "there were texts of several pieces");
  assert.ok(cuts > 50, "there were lists and tables of several pieces");
});

// Markdown as sanitised HTML, in a chunk of its own. Nothing here loads anything from elsewhere:
// the page's policy forbids it, and images from other places are shown as links.

import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";

import { accepted } from "./critic/index.ts";
import { readBlock } from "./text/properties.ts";

type Follow = (link: string) => void;

const markdown = new MarkdownIt({ html: true, linkify: true, breaks: false });
const OPTIONS = {
  FORBID_TAGS: ["style", "form", "input", "button", "select", "textarea", "iframe", "object", "embed", "svg", "math", "dialog", "video", "audio", "source", "link", "meta", "base"],
  FORBID_ATTR: ["style", "class", "id", "name", "srcset", "background", "action", "formaction"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|gif|jpeg|webp);|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
  ADD_ATTR: ["data-link"],
  RETURN_DOM_FRAGMENT: true as const,
};

// Of HTML in a note, bare tags from this list are kept and everything else is shown as text. It is
// sanitised after that too; but a parser that only sees an attack already reports it.
const BARE = /&lt;(\/?(?:b|br|cite|code|dd|del|details|dl|dt|em|hr|i|ins|kbd|mark|p|q|s|small|strong|sub|summary|sup|u))[ \t]*(\/?)&gt;/gi;
const bareTags = (html: string) => markdown.utils.escapeHtml(html).replace(BARE, "<$1$2>");

markdown.renderer.rules["html_inline"] = (tokens, at) => bareTags(tokens[at]!.content);
markdown.renderer.rules["html_block"] = (tokens, at) => bareTags(tokens[at]!.content);
markdown.core.ruler.push("align", ({ tokens }) => {
  for (const token of tokens) {
    const align = /^text-align:(left|center|right)$/.exec(String(token.attrGet("style") ?? ""))?.[1];
    if (token.attrs) token.attrs = token.attrs.filter(([name]) => name !== "style");
    if (align) token.attrSet("align", align);
  }
});

markdown.inline.ruler.before("link", "wikilink", (state, silent) => {
  const embed = state.src.startsWith("![[", state.pos);
  const start = state.pos + (embed ? 3 : 2);
  if (!embed && !state.src.startsWith("[[", state.pos)) return false;
  const end = state.src.indexOf("]]", start);
  const link = state.src.slice(start, end);
  if (end < 0 || !link || /[[\]\n]/.test(link)) return false;
  if (!silent) {
    const open = state.push("link_open", "a", 1);
    open.attrs = [["data-link", link], ["href", "#"]];
    const bar = link.indexOf("|");
    state.push("text", "", 0).content = bar < 0 ? link : link.slice(bar + 1);
    state.push("link_close", "a", -1);
  }
  state.pos = end + 2;
  return true;
});

/** Fill an element with a note as it reads when everything suggested is accepted. */
export function renderInto(element: HTMLElement, text: string, follow: Follow): void {
  const whole = accepted(text);
  const block = readBlock(whole);
  const html = markdown.render(block ? whole.slice(block.end) : whole);
  const fragment = DOMPurify.sanitize(html, OPTIONS);
  for (const image of fragment.querySelectorAll("img")) replaceRemote(image);
  for (const link of fragment.querySelectorAll("a")) prepare(link, follow);
  for (const row of fragment.querySelectorAll("li")) checkbox(row);
  for (const area of fragment.querySelectorAll("pre, table")) area.setAttribute("tabindex", "0");
  element.replaceChildren(fragment);
}

function replaceRemote(image: HTMLImageElement): void {
  const source = image.getAttribute("src") ?? "";
  if (source.startsWith("data:image/")) return;
  const words = document.createElement("span");
  words.textContent = `Image: ${image.alt || source}`;
  words.title = source;
  words.className = "no-image";
  image.replaceWith(words);
}

function prepare(link: HTMLAnchorElement, follow: Follow): void {
  const target = link.getAttribute("data-link");
  const href = link.getAttribute("href") ?? "";
  if (target !== null || (!/^[a-z][a-z+.-]*:/i.test(href) && !href.startsWith("#") && !href.startsWith("//"))) {
    link.className = "wikilink";
    link.href = "#";
    const wanted = target ?? safelyDecoded(href);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      follow(wanted);
    });
    return;
  }
  link.rel = "noopener noreferrer";
  link.target = "_blank";
}

function safelyDecoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

function checkbox(row: HTMLLIElement): void {
  const first = row.firstChild instanceof HTMLParagraphElement ? row.firstChild.firstChild : row.firstChild;
  const mark = first instanceof Text ? /^\[([ xX])\] /.exec(first.data) : null;
  if (!mark || !(first instanceof Text)) return;
  first.data = (mark[1] === " " ? "☐ " : "☑ ") + first.data.slice(4);
  row.className = "task";
}

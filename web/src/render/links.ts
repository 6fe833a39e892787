// Links in a rendered note: to notes, headings, tags, footnotes and other sites.

import { fileKind } from "../text/files.ts";
import { plainHeading } from "../text/headings.ts";
import { ELSEWHERE, linkOf, type Reading } from "./reading.ts";
import { peekAt } from "./peek.ts";

export function prepareLinks(fragment: DocumentFragment, reading: Reading): void {
  for (const link of fragment.querySelectorAll<HTMLAnchorElement>("a")) {
    const tag = link.getAttribute("data-tag");
    const written = link.getAttribute("data-link");
    const href = link.getAttribute("href") ?? "";
    if (tag !== null) toTag(link, tag, reading);
    else if (link.dataset["noteRef"] || link.dataset["noteBack"]) continue;
    else if (written !== null) inside(link, written, reading);
    else if (!href) link.removeAttribute("href");
    else if (ELSEWHERE.test(href)) outside(link);
    else inside(link, safelyDecoded(href), reading);
  }
}

/** A link to a note of this vault, or to a file. */
export function inside(link: HTMLAnchorElement, written: string, reading: Reading): void {
  const { note, place } = linkOf(written);
  const kind = note ? fileKind(note) : null;
  const path = reading.resolve(note, reading.path);
  link.classList.add("wikilink");
  const url = !path && kind ? reading.fileUrl(note, reading.path) : null;
  if (url !== null) {
    link.href = url + (kind === "pdf" && place ? `#${place}` : "");
    link.target = "_blank";
    link.rel = "noopener";
    return;
  }
  if (!link.classList.contains("embed-open") && !linkOf(written).alias && link.textContent === written) link.textContent = shortened(written);
  if (path) {
    link.href = reading.href(path, place);
    if (reading.peeks) peekAt(link, path, place, reading);
  } else {
    link.classList.add("unresolved");
    link.href = "#";
    link.title = "There is no such note yet";
  }
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    reading.follow(written, reading.path);
  });
}

/** `Note#Heading` reads as Obsidian shows it: `Note > Heading`. */
function shortened(written: string): string {
  return written.replace(/^#/, "").replace(/#\^?|(?<!^)\^/g, " > ");
}

function outside(link: HTMLAnchorElement): void {
  link.rel = "noopener noreferrer";
  link.target = "_blank";
  link.classList.add("outside");
}

export function toTag(link: HTMLAnchorElement, tag: string, reading: Reading): void {
  link.classList.add("tag-link");
  link.addEventListener("click", (event) => {
    event.preventDefault();
    reading.openTag(tag);
  });
}

export function safelyDecoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/**
 * Footnotes are found in their own text alone: a note and what it embeds may both have a first. The
 * other end may stand in a piece of the text that is still to come.
 */
export function footnoteLinks(fragment: DocumentFragment, text: HTMLElement, ready: () => Promise<void>): void {
  const pairs: [string, string, string][] = [["data-note-ref", "data-note", "Footnote"], ["data-note-back", "data-note-ref", "Back to the text, note"]];
  for (const [from, to, label] of pairs) {
    for (const link of fragment.querySelectorAll<HTMLAnchorElement>(`a[${from}]`)) {
      const number = link.getAttribute(from)!;
      const other = `[${to}="${CSS.escape(number)}"]`;
      const near = fragment.querySelector<HTMLElement>(other);
      link.setAttribute("aria-label", `${label} ${number}`);
      link.addEventListener("click", (event) => {
        event.preventDefault();
        void ready().then(() => {
          const target = near ?? [...text.querySelectorAll<HTMLElement>(other)].find((each) => each.closest(".embed-body") === text.closest(".embed-body"));
          if (target) showPlace(target);
        });
      });
    }
  }
}

/** Bring a place of a text into view, and mark it for a moment. */
export function showPlace(target: HTMLElement): void {
  target.closest("details:not([open])")?.setAttribute("open", "");
  target.scrollIntoView({ block: "center" });
  target.classList.remove("here");
  void target.offsetWidth;
  target.classList.add("here");
  target.addEventListener("animationend", () => target.classList.remove("here"), { once: true });
}

export function headingAnchors(fragment: DocumentFragment, reading: Reading, embedded: boolean): void {
  for (const heading of fragment.querySelectorAll<HTMLElement>("h1, h2, h3, h4, h5, h6")) {
    const text = heading.textContent?.trim() ?? "";
    heading.setAttribute("data-heading", plainHeading(text));
    if (embedded || !text) continue;
    const anchor = document.createElement("a");
    anchor.className = "anchor";
    anchor.href = reading.href(reading.path, text);
    anchor.textContent = "#";
    anchor.setAttribute("aria-label", `Link to “${text}”`);
    heading.append(anchor);
  }
}

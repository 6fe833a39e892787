// A note of the site: the page's renderer, with links that lead to the site's own pages.

import { linkOf, type Reading } from "../render/reading.ts";
import { renderInto } from "../render/render.ts";
import { plainHeading } from "../text/headings.ts";
import { nameOf } from "../text/paths.ts";
import { here, loadTexts, site, top } from "./data.ts";

const numbers = new Map(site.notes.map(([path], at) => [path, at]));
const own = here.at === null ? "" : site.notes[here.at]![0];

/** Show the note of this page, and the place of it that the address names. */
export function showNote(element: HTMLElement, openTag: (tag: string) => void): void {
  const { complete } = renderInto(element, here.text, { ...reading, dark: document.documentElement.dataset["theme"] === "dark", openTag });
  const look = (jumped: boolean) => {
    for (const heading of element.querySelectorAll<HTMLElement>("[data-heading]")) heading.id = anchor(heading.dataset["heading"]!);
    for (const block of element.querySelectorAll<HTMLElement>("[data-block]")) {
      if (!block.closest(".embed")) block.id = `^${block.dataset["block"]}`;
    }
    leaveOut(element);
    const place = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (place && !jumped) place.scrollIntoView();
    return place !== null;
  };
  const jumped = look(false);
  void complete.then(() => look(jumped));
}

const reading: Omit<Reading, "openTag" | "dark"> = {
  path: own,
  resolve,
  href,
  fileUrl,
  text: async (path) => {
    await loadTexts();
    return site.texts.get(numbers.get(path) ?? -1) ?? null;
  },
  follow: (link, from) => {
    const { note, place } = linkOf(link);
    const path = resolve(note, from);
    if (path) location.href = href(path, place);
  },
  breaks: true,
  properties: false,
  diagrams: false,
};

/** The note of a link: told for the note of this page; in one shown inside it, by path or name. */
function resolve(note: string, from: string): string | null {
  if (!note) return from;
  const plain = note.replace(/\.md$/i, "");
  if (from === own) return here.links[note] ?? here.links[plain] ?? null;
  const wanted = plain.toLowerCase();
  const found = site.notes.find(([path]) => path.toLowerCase() === `${wanted}.md`) ?? site.notes.find(([path]) => nameOf(path).toLowerCase() === wanted);
  return found?.[0] ?? null;
}

/** The file of a link, if the site holds it; links are listed with the note in which they stand. */
function fileUrl(link: string, from: string): string | null {
  const files = site.notes[numbers.get(from) ?? -1]?.[5] ?? {};
  return Object.hasOwn(files, link) ? top + files[link] : null;
}

function href(path: string, place: string): string {
  const url = path === own ? "" : top + site.notes[numbers.get(path)!]![3];
  const id = place.startsWith("^") ? place : anchor(plainHeading(place));
  return url + (place || !url ? `#${encodeURIComponent(id)}` : "");
}

/** A link to a note that is not published is only text. */
function leaveOut(element: HTMLElement): void {
  for (const link of element.querySelectorAll("a.unresolved")) {
    const words = document.createElement("span");
    words.className = "unresolved";
    words.append(...link.childNodes);
    link.replaceWith(words);
  }
}

function anchor(heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
}

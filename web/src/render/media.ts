// Pictures, sound, film and other files of the vault in a rendered note. Nothing is loaded from
// other sites: a picture from elsewhere is a link to it.

import { fileKind } from "../text/files.ts";
import { safelyDecoded } from "./links.ts";
import { ELSEWHERE, linkOf, type Reading } from "./reading.ts";

const INLINE_DATA = /^data:image\/(?:png|gif|jpeg|webp|avif);base64,[A-Za-z0-9+/=\s]+$/i;
const SIZE = /^(\d{1,4})(?:x(\d{1,4}))?$/;

/** Show `![](…)` and the embeds that are no notes. */
export async function showPictures(fragment: DocumentFragment, reading: Reading): Promise<void> {
  for (const image of fragment.querySelectorAll<HTMLImageElement>("img")) {
    const source = image.getAttribute("data-src") ?? "";
    image.removeAttribute("data-src");
    const { words, width, height } = sized(image.alt);
    image.alt = words;
    if (width) image.width = width;
    if (height) image.height = height;
    if (INLINE_DATA.test(source)) image.src = source;
    else if (ELSEWHERE.test(source) || !source) image.replaceWith(elsewhere(source, words));
    else if (fileKind(pathOf(source)) === "picture" || !fileKind(pathOf(source))) local(image, safelyDecoded(pathOf(source)), reading);
    else image.replaceWith(fileElement(safelyDecoded(pathOf(source)), "", words, reading) ?? image);
  }
  for (const embed of fragment.querySelectorAll<HTMLElement>("[data-embed]")) {
    const { note, place, alias } = linkOf(embed.getAttribute("data-embed")!);
    if (ELSEWHERE.test(note)) embed.replaceWith(elsewhere(note, alias));
    else if (fileKind(note) && !reading.resolve(note, reading.path)) embed.replaceWith(fileElement(note, place, alias, reading)!);
  }
}

function pathOf(source: string): string {
  return source.replace(/[?#].*$/, "");
}

/** `alt|300x200` and `300`: words and size. */
function sized(alt: string): { words: string; width?: number; height?: number } {
  const bar = alt.lastIndexOf("|");
  const size = SIZE.exec(alt.slice(bar + 1).trim());
  if (!size) return { words: alt };
  const words = bar < 0 ? "" : alt.slice(0, bar);
  return { words, width: Number(size[1]), ...(size[2] ? { height: Number(size[2]) } : {}) };
}

/** An element that shows a file of the vault. */
export function fileElement(note: string, place: string, alias: string, reading: Reading): HTMLElement | null {
  const kind = fileKind(note);
  const url = reading.fileUrl(note, reading.path);
  if (url === null) return missing(note);
  if (kind === "picture") {
    const image = document.createElement("img");
    const { words, width, height } = sized(alias);
    image.alt = words || note.slice(note.lastIndexOf("/") + 1);
    if (width) image.width = width;
    if (height) image.height = height;
    if (/\bicon\b/.test(place)) image.className = "icon-picture";
    local(image, note, reading);
    return image;
  }
  if (kind === "audio" || kind === "video") {
    const player = document.createElement(kind);
    player.controls = true;
    player.preload = "metadata";
    player.src = url + (place ? `#${place}` : "");
    player.setAttribute("aria-label", alias || note);
    player.addEventListener("error", () => player.replaceWith(missing(note)), { once: true });
    return player;
  }
  return kind === "pdf" ? paper(note, place, url) : card(note, url);
}

function local(image: HTMLImageElement, link: string, reading: Reading): void {
  image.loading = "lazy";
  image.decoding = "async";
  image.addEventListener("error", () => image.replaceWith(missing(link)), { once: true });
  const url = reading.fileUrl(link, reading.path);
  if (url === null) image.replaceWith(missing(link));
  else image.src = url;
}

function missing(link: string): HTMLElement {
  const words = document.createElement("span");
  words.className = "no-image";
  words.textContent = `Not found: ${link}`;
  words.title = "There is no such file here, or it has not arrived yet";
  return words;
}

function elsewhere(source: string, words: string): HTMLElement {
  const link = document.createElement(/^(?:https?:)?\/\//i.test(source) ? "a" : "span");
  link.className = "no-image";
  link.textContent = `Picture: ${words || hostOf(source) || "not shown"}`;
  link.title = source ? `Not loaded, since it lies elsewhere: ${source.slice(0, 200)}` : "";
  if (link instanceof HTMLAnchorElement) {
    link.href = source;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  return link;
}

function hostOf(source: string): string {
  try {
    return source && new URL(source, "https://elsewhere.invalid").host;
  } catch {
    return "";
  }
}

function paper(note: string, place: string, url: string): HTMLElement {
  const box = document.createElement("div");
  box.className = "paper";
  const frame = document.createElement("iframe");
  frame.src = `${url}#navpanes=0${place ? `&${place}` : ""}`;
  frame.title = note;
  frame.loading = "lazy";
  const height = /\bheight=(\d{2,4})\b/.exec(place)?.[1];
  if (height) frame.style.height = `${height}px`;
  box.append(card(note, url), frame);
  return box;
}

function card(note: string, url: string): HTMLElement {
  const link = document.createElement("a");
  link.className = "file-card";
  link.href = url;
  link.target = "_blank";
  link.rel = "noopener";
  link.textContent = note.slice(note.lastIndexOf("/") + 1);
  return link;
}

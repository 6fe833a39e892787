// Notes, headings and blocks shown inside another note: `![[note#heading]]`.

import { inside } from "./links.ts";
import { linkOf, type Reading } from "./reading.ts";
import { type Chain, renderInto } from "./render.ts";
import { sectionOf } from "./sections.ts";

const DEPTH_MAX = 5;

/** How many embeds a text, or an embed, shows. */
export const EMBEDS_MAX = 100;

/** Put what is embedded in its place, at most so much; what would go in circles, or too deep, is a link. */
export async function fillEmbeds(element: ParentNode, reading: Reading, chain: Chain, most: number): Promise<void> {
  const found = [...element.querySelectorAll<HTMLElement>("[data-embed]")].slice(0, most);
  await Promise.all(found.map((embed) => fill(embed, reading, chain)));
}

async function fill(embed: HTMLElement, reading: Reading, chain: Chain): Promise<void> {
  const written = embed.getAttribute("data-embed")!;
  embed.removeAttribute("data-embed");
  const { note, place, alias } = linkOf(written);
  const path = reading.resolve(note, reading.path);
  const key = `${path}#${place}`;
  const open = opener(written, alias, reading);
  if (!path || chain.length > DEPTH_MAX || chain.includes(key) || (path === chain[0] && !place)) {
    embed.replaceWith(open);
    return;
  }
  const text = await reading.text(path);
  const section = text === null ? null : sectionOf(text, place);
  if (!section) {
    open.classList.add("unresolved");
    embed.replaceWith(open);
    return;
  }
  const box = document.createElement("div");
  box.className = "embed";
  const body = document.createElement("div");
  body.className = "embed-body";
  open.classList.add("embed-open");
  box.append(open, body);
  // the only thing of its paragraph stands by itself
  const paragraph = embed.parentElement;
  const alone = paragraph?.tagName === "P" && paragraph.textContent?.trim() === embed.textContent?.trim() && !paragraph.querySelector("img");
  (alone ? paragraph : embed).replaceWith(box);
  await renderInto(body, section.text, { ...reading, path, tick: undefined }, [...chain, key], section.line).complete;
}

function opener(written: string, alias: string, reading: Reading): HTMLAnchorElement {
  const link = document.createElement("a");
  link.textContent = alias || written;
  inside(link, written, reading);
  return link;
}

// The properties of a note above its text, to be read.

import type { Property } from "../text/properties.ts";
import { inside, toTag } from "./links.ts";
import type { Reading } from "./reading.ts";

const LINK = /^\[\[([^[\]\n]+)\]\]$/;
const WEB = /^https?:\/\/\S+$/;

export function propertiesOf(properties: readonly Property[], reading: Reading): HTMLElement | null {
  const shown = properties.filter(({ value }) => value !== null && value !== "" && !(Array.isArray(value) && !value.length));
  if (!shown.length) return null;
  const list = document.createElement("dl");
  list.className = "note-properties";
  list.setAttribute("aria-label", "Properties");
  for (const { key, value, complex } of shown) {
    const [name, values] = [document.createElement("dt"), document.createElement("dd")];
    name.textContent = key;
    const items = complex ? [String(value).trim()] : Array.isArray(value) ? value : [String(value)];
    values.append(...items.flatMap((item, at) => [...(at ? [" "] : []), valueOf(key, item, Array.isArray(value), reading)]));
    list.append(name, values);
  }
  return list;
}

function valueOf(key: string, item: string, listed: boolean, reading: Reading): Node {
  const link = document.createElement("a");
  link.textContent = item;
  if (/^tags?$/i.test(key)) {
    link.textContent = `#${item.replace(/^#/, "")}`;
    link.href = "#";
    toTag(link, item.replace(/^#/, ""), reading);
    return link;
  }
  const written = LINK.exec(item)?.[1];
  if (written) {
    link.textContent = written.slice(written.indexOf("|") + 1);
    inside(link, written, reading);
    return link;
  }
  if (WEB.test(item)) {
    Object.assign(link, { href: item, target: "_blank", rel: "noopener noreferrer" });
    return link;
  }
  const words = document.createElement("span");
  words.textContent = item === "true" ? "yes" : item === "false" ? "no" : item;
  if (listed) words.className = "chip";
  return words;
}

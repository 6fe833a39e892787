// Who sits before this browser: a name and a colour, kept in the browser alone.

import { effect, signal } from "@preact/signals";

export const COLOURS = ["teal", "blue", "violet", "plum", "rose", "amber", "moss", "slate"] as const;
export type Colour = (typeof COLOURS)[number];

// What other Yjs clients show, which know no classes of ours.
export const SHADES: Record<Colour, string> = {
  teal: "#0b7285", blue: "#2456a6", violet: "#5f3dc4", plum: "#862e9c",
  rose: "#a61e4d", amber: "#a15c07", moss: "#3d6b21", slate: "#495367",
};

export const NAME_MAX = 40;
const KEY = "commonplace.name";

export const personName = signal(localStorage.getItem(KEY) ?? "");

effect(() => {
  if (personName.value) localStorage.setItem(KEY, personName.value);
});

export function shownName(): string {
  return personName.value.trim().slice(0, NAME_MAX) || "Someone";
}

/** A colour for a name: the same one in every browser. */
export function colourOf(name: string): Colour {
  let sum = 7;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)!) >>> 0;
  return COLOURS[sum % COLOURS.length]!;
}

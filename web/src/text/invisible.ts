// Characters that a reader cannot see, shown by their numbers; the same rules as `core/text/invisible.py`.
// Joiners in Persian or Indic words and emoji, selectors after what they vary, and three flags are left alone.

const RANGES: readonly [number, number][] = [
  [0x00, 0x08], [0x0b, 0x1f], [0x7f, 0x9f], [0xad, 0xad], [0x034f, 0x034f], [0x061c, 0x061c], [0x115f, 0x1160],
  [0x17b4, 0x17b5], [0x180b, 0x180f], [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0x3164, 0x3164],
  [0xd800, 0xdfff], [0xfdd0, 0xfdef], [0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3], [0x1d173, 0x1d17a], [0xe0000, 0xe0fff],
  ...Array.from({ length: 17 }, (_, plane): [number, number] => [plane * 0x10000 + 0xfffe, plane * 0x10000 + 0xffff]),
];
const SUSPECT = new RegExp(`[${RANGES.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join("")}]`, "u");
const VIRAMA = /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0E3A\u0EBA\u0F84\u1039\u103A\u1714\u1734\u17D2\u1A60\u1B44\u1BAA\u1BAB\u1BF2\u1BF3\u2D7F\uA806\uA8C4\uA953\uA9C0\uAAF6\uABED]/u;
const FLAGS = ["gbeng", "gbsct", "gbwls"].map((region) => "\u{1f3f4}" + [...region].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join("") + "\u{e007f}");

/** Writes every invisible character as its number: `<U+202E>`. */
export function visible(text: string): string {
  if (!SUSPECT.test(text)) return text;
  const characters = [...text];
  return characters.map((one, at) => (SUSPECT.test(one) && !belongs(characters, at) ? `<${label(one)}>` : one)).join("");
}

const label = (one: string) => `U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
const between = (one: string, first: number, last: number) => one.codePointAt(0)! >= first && one.codePointAt(0)! <= last;

function belongs(text: readonly string[], at: number): boolean {
  const one = text[at]!;
  const [before, after] = [text[at - 1] ?? "", text[at + 1] ?? ""];
  if (one < "\u0100") return one === "\r" && after === "\n";
  if (one === "\u200c" || one === "\u200d") return VIRAMA.test(before) || ((written(before) || (before === "\ufe0f" && varies(text[at - 2] ?? ""))) && written(after));
  if (between(one, 0xfe00, 0xfe0f)) return varies(before) || (after === "\u20e3" && /^[0-9#*]$/.test(before));
  if (between(one, 0xe0020, 0xe007f)) return inFlag(text, at);
  if (between(one, 0xe0100, 0xe01ef)) return written(before) && between(before, 0x3400, 0x3ffff);
  return between(one, 0x180b, 0x180f) && written(before) && between(before, 0x1800, 0x18aa);
}

const written = (one: string) => one > "\x7f" && !SUSPECT.test(one) && (/^[\p{L}\p{M}\p{S}]$/u.test(one) || between(one, 0x1f000, 0x1faff));
const varies = (one: string) => written(one) || (one > "\x7f" && /^\p{P}$/u.test(one));

function inFlag(text: readonly string[], at: number): boolean {
  const start = text.lastIndexOf("\u{1f3f4}", at);
  return start >= 0 && FLAGS.some((flag) => start + [...flag].length > at && text.slice(start, start + [...flag].length).join("") === flag);
}

// Frontmatter as a form: the simple properties of a YAML block, each with the lines that hold it.
//
// Only what a form can show and write back is read: `key: scalar` and lists of scalars. Any other
// line makes its property `complex`, which is shown as text and left as it is.

export type Value = string | number | boolean | string[] | null;

export interface Property {
  readonly key: string;
  readonly value: Value;
  readonly complex: boolean;
  /** The lines that hold it, as places in the text, without the last line break. */
  readonly from: number;
  readonly to: number;
}

export interface Block {
  readonly properties: Property[];
  /** Where the block ends, behind the closing line's dashes. */
  readonly end: number;
  /** Where a new property is put: the start of the closing line. */
  readonly closing: number;
}

const KEY = /^([\p{L}\p{N}_][^:#\n]{0,80}?)[ \t]*:(?:[ \t]+(.*)|)$/u;
const BLOCK_MAX = 65_536;
const NEEDS_QUOTES = /^$|^[\s\-?:,[\]{}#&*!|>'"%@`]|[:#]\s|:$|\s$|\s#|^(?:true|false|null|yes|no|on|off|~)$|^[-+.\d]/i;

export function readBlock(text: string): Block | null {
  if (!/^---[ \t]*\n/.test(text)) return null;
  const from = text.indexOf("\n") + 1;
  const closing = closingLine(text, from);
  if (closing < 0) return null;
  const lineEnd = text.indexOf("\n", closing);
  return { properties: [...propertiesOf(text, from, closing)], closing, end: lineEnd < 0 ? text.length : lineEnd };
}

function closingLine(text: string, from: number): number {
  for (let at = from; at < text.length && at < BLOCK_MAX; ) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end);
    if (/^---[ \t]*$/.test(line)) return at;
    if (end < 0) return -1;
    at = end + 1;
  }
  return -1;
}

function* propertiesOf(text: string, from: number, to: number): Generator<Property> {
  let at = from;
  while (at < to) {
    const key = KEY.exec(text.slice(at, text.indexOf("\n", at)));
    let end = text.indexOf("\n", at);
    const lines: string[] = [];
    for (let next = end + 1; next < to; ) {
      const stop = text.indexOf("\n", next);
      const line = text.slice(next, stop);
      if (!/^(?:[ \t]|-[ \t]|-$)/.test(line) && line !== "") break;
      lines.push(line);
      end = stop;
      next = stop + 1;
    }
    if (key) yield { key: key[1]!, from: at, to: end, ...valueOf(key[2] ?? "", lines) };
    at = end + 1;
  }
}

function valueOf(first: string, lines: string[]): { value: Value; complex: boolean } {
  const complex = { value: [first, ...lines].join("\n"), complex: true };
  const rest = lines.filter((line) => line.trim());
  const head = first.trim();
  if (rest.length) {
    const items = rest.map((line) => /^[ \t]*-(?:$|[ \t]+(.*)$)/.exec(line));
    if (head || items.some((item) => item === null)) return complex;
    const values = items.map((item) => scalar(item?.[1] ?? ""));
    return values.some((value) => value === undefined) ? complex : { value: named(values), complex: false };
  }
  if (head.startsWith("[") && head.endsWith("]")) {
    const inner = head.slice(1, -1).trim();
    const items = inner ? inner.split(",").map((item) => scalar(item.trim())) : [];
    if (!/["'[\]{}]/.test(inner) && items.every((item) => item !== undefined)) {
      return { value: named(items), complex: false };
    }
    return complex;
  }
  const value = scalar(head);
  return value === undefined ? complex : { value, complex: false };
}

/** The items of a list as words; an empty one is none. */
function named(items: readonly unknown[]): string[] {
  return items.filter((item) => item !== null).map(String);
}

function scalar(source: string): string | number | boolean | null | undefined {
  if (source === "" || source === "~" || source === "null") return null;
  if (source === "true" || source === "false") return source === "true";
  if (/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?$/.test(source)) return Number(source);
  if (/^"(?:[^"\\]|\\["\\/bfnrt])*"$/.test(source)) return JSON.parse(source) as string;
  if (/^'(?:[^']|'')*'$/.test(source)) return source.slice(1, -1).replaceAll("''", "'");
  return /^[&*!|>%@`{["']/.test(source) || /\s#/.test(source) ? undefined : source;
}

/** The lines of a property, as they are written. */
export function writeProperty(key: string, value: Value): string {
  if (Array.isArray(value)) {
    return value.length ? `${key}:\n${value.map((item) => `  - ${plain(item)}`).join("\n")}` : `${key}: []`;
  }
  return value === null ? `${key}:` : `${key}: ${typeof value === "string" ? plain(value) : String(value)}`;
}

function plain(value: string): string {
  const line = value.replace(/[\r\n]+/g, " ");
  // A date is written as it is; everything else that YAML would read as something else, in quotes.
  if (/^\d{4}-\d\d-\d\d(?:[T ][\d:.Z+-]+)?$/.test(line)) return line;
  return NEEDS_QUOTES.test(line) ? JSON.stringify(line) : line;
}

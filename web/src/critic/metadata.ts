// Who made a mark and when, written right behind its opening delimiter: `{"author":"Ann"}@@`.
//
// The same rules as the server's `core/critic/metadata.py`.

export interface Metadata {
  readonly author: string | null;
  /** Who wrote part of it before the author did. */
  readonly earlier: readonly string[];
  /** Seconds since 1970. */
  readonly time: number | null;
}

const OBJECT = /(\{[^{}]*\})@@/y;
const TIME_MAX = 253_402_300_799;
const KEYS = ["author", "authors", "time", "timestamp", "done", "style", "color", "a", "t", "d", "s", "c"];
const UNITS = [["timestamp", 1000], ["time", 1], ["t", 1]] as const;
// What the server's JSON reader takes beside JSON; none of them is a time.
const NOT_NUMBERS = /"(?:[^"\\]|\\[\s\S])*"|-?Infinity|NaN/g;

/** The metadata at `start`, and where the content behind it begins. */
export function readMetadata(text: string, start: number, end: number): [Metadata | null, number] {
  if (start >= end || text[start] !== "{") return [null, start];
  OBJECT.lastIndex = start;
  const found = OBJECT.exec(text);
  if (!found || OBJECT.lastIndex > end) return [null, start];
  const after = OBJECT.lastIndex;
  const meta = metadataOf(found[1]!);
  return meta ? [meta, after] : [null, start];
}

// A long note says the same of thousands of marks.
const known = new Map<string, Metadata | null>();
const KNOWN_MAX = 2000;

function metadataOf(source: string): Metadata | null {
  const before = known.get(source);
  if (before !== undefined) return before;
  const fields = fieldsOf(source);
  const meta = fields && metadataIn(fields);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(source, meta);
  return meta;
}

function metadataIn(fields: Map<string, unknown>): Metadata {
  const author = authorOf(fields);
  return { author, earlier: earlierOf(fields, author), time: timeOf(fields) };
}

/** Everybody who wrote part of a mark, as one name; null if nobody is named. */
export function authorsOf(meta: Metadata): string | null {
  return [...meta.earlier, ...(meta.author === null ? [] : [meta.author])].join(", ") || meta.author;
}

/** Metadata to put behind an opening delimiter. */
export function writeMetadata(author: string, time: number): string {
  const inner = JSON.stringify({ author, time: Math.floor(time) }).slice(1, -1);
  const safe = inner.replace(/[{}@]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `{${safe}}@@`;
}

export function sameMetadata(one: Metadata | null, other: Metadata | null): boolean {
  if (!one || !other) return one === other;
  if (one.author !== other.author || one.time !== other.time) return false;
  return one.earlier.length === other.earlier.length && one.earlier.every((name, at) => name === other.earlier[at]);
}

function fieldsOf(source: string): Map<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(source.replace(NOT_NUMBERS, (word) => (word[0] === '"' ? word : "-1")));
    const fields = new Map(Object.entries(value as object));
    return fields.size === 0 || KEYS.some((key) => fields.has(key)) ? fields : null;
  } catch {
    return null;
  }
}

function authorOf(fields: Map<string, unknown>): string | null {
  const author = fields.has("author") ? fields.get("author") : fields.get("a");
  return typeof author === "string" ? nameOf(author) : null;
}

function earlierOf(fields: Map<string, unknown>, author: string | null): string[] {
  const found = fields.get("authors");
  if (!Array.isArray(found)) return [];
  const names = found.filter((each): each is string => typeof each === "string").map(nameOf);
  return [...new Set(names.filter((name) => name !== author))];
}

function nameOf(name: string): string {
  return name.replace(/\p{Surrogate}/gu, "?");
}

function timeOf(fields: Map<string, unknown>): number | null {
  for (const [key, unit] of UNITS) {
    const value = fields.get(key);
    if (typeof value === "number") {
      const seconds = value / unit;
      return seconds >= 0 && seconds <= TIME_MAX ? seconds : null;
    }
  }
  return null;
}

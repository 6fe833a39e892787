// Who made a mark and when, written right behind its opening delimiter: `{"author":"Ann"}@@`.
//
// The same rules as the server's `core/critic/metadata.py`.

export interface Metadata {
  readonly author: string | null;
  /** Seconds since 1970. */
  readonly time: number | null;
}

const OBJECT = /(\{[^{}]*\})@@/y;
const TIME_MAX = 253_402_300_799;
const KEYS = ["author", "time", "timestamp", "done", "style", "color", "a", "t", "d", "s", "c"];
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
  const meta = fields && { author: authorOf(fields), time: timeOf(fields) };
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(source, meta);
  return meta;
}

/** Metadata to put behind an opening delimiter. */
export function writeMetadata(author: string, time: number): string {
  const inner = JSON.stringify({ author, time: Math.floor(time) }).slice(1, -1);
  const safe = inner.replace(/[{}@]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `{${safe}}@@`;
}

export function sameMetadata(one: Metadata | null, other: Metadata | null): boolean {
  if (!one || !other) return one === other;
  return one.author === other.author && one.time === other.time;
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
  return typeof author === "string" ? author.replace(/\p{Surrogate}/gu, "?") : null;
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

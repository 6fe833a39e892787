// Fuzzy finding: the letters of the query occur in order; tighter, earlier, at word starts is better.

export interface Found<Item> {
  readonly item: Item;
  readonly score: number;
  /** Where the letters stand in the text. */
  readonly places: readonly number[];
}

const WORD_START = /[\s/_\-.([]/;

/** Score one text, lower-cased by the caller, or null if it does not match. */
export function match(query: string, text: string): { score: number; places: number[] } | null {
  const name = text.lastIndexOf("/") + 1;
  return matchFrom(query, text, query.includes("/") ? 0 : name) ?? matchFrom(query, text, 0);
}

function matchFrom(query: string, text: string, from: number): { score: number; places: number[] } | null {
  const whole = text.indexOf(query, from);
  if (whole >= 0) {
    const places = Array.from(query, (_, at) => whole + at);
    return { places, score: 100 + query.length * 4 + startBonus(text, whole) * 3 - (text.length - query.length) / 8 };
  }
  const places: number[] = [];
  let score = 0;
  let at = from;
  for (const letter of query) {
    if (letter === " ") continue;
    const found = text.indexOf(letter, at);
    if (found < 0) return null;
    score += found === at && places.length ? 6 : startBonus(text, found) - Math.min(4, (found - at) / 4);
    places.push(found);
    at = found + letter.length;
  }
  return { places, score: score - text.length / 16 };
}

function startBonus(text: string, at: number): number {
  return at === 0 || WORD_START.test(text[at - 1]!) ? 8 : 1;
}

/** The best of some items, best first. */
export function find<Item>(query: string, items: Iterable<Item>, textOf: (item: Item) => string, limit: number): Found<Item>[] {
  const wanted = query.trim().toLowerCase();
  const found: Found<Item>[] = [];
  for (const item of items) {
    const hit = match(wanted, textOf(item));
    if (hit) found.push({ item, ...hit });
  }
  return found.sort((one, other) => other.score - one.score).slice(0, limit);
}

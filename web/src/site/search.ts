// Search over all texts, in the browser: every word must be there, the title counts most.

export interface Found {
  readonly at: number;
  readonly score: number;
  readonly snippet: string;
}

const SNIPPET_BEFORE = 40;
const SNIPPET_CHARS = 160;
const FOUND_MAX = 50;

export function search(query: string, titles: readonly string[], texts: ReadonlyMap<number, string>): Found[] {
  const words = folded(query).split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found: Found[] = [];
  for (const [at, text] of texts) {
    const [body, title] = [folded(text), folded(titles[at] ?? "")];
    if (!words.every((word) => title.includes(word) || body.includes(word))) continue;
    const score = words.reduce((sum, word) => sum + (title.includes(word) ? 10 : 0) + Math.log2(1 + count(body, word)), 0);
    found.push({ at, score, snippet: snippet(text, body, words) });
  }
  return found.sort((one, other) => other.score - one.score).slice(0, FOUND_MAX);
}

/** Case does not count; the length must stay, so that places in both texts agree. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

function count(text: string, word: string): number {
  let times = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) times += 1;
  return times;
}

function snippet(text: string, body: string, words: readonly string[]): string {
  const first = Math.min(...words.map((word) => body.indexOf(word)).map((at) => (at < 0 ? Infinity : at)));
  const start = Number.isFinite(first) ? Math.max(0, first - SNIPPET_BEFORE) : 0;
  return text.slice(start, start + SNIPPET_CHARS).replace(/\s+/g, " ").trim();
}

// Which words of a text a search was after: as the server's full text sees them, roughly.

export interface Part {
  readonly text: string;
  readonly matched: boolean;
}

/** Cut a text into words and what is between them, and tell the words that match a term. */
export function matchedParts(text: string, terms: readonly string[]): Part[] {
  const stems = terms.map((term) => stemOf(folded(term))).filter(Boolean);
  if (!stems.length) return [{ text, matched: false }];
  const parts: Part[] = [];
  for (const piece of text.split(/([\p{L}\p{M}\p{N}]+)/u)) {
    if (!piece) continue;
    if (!/[\p{L}\p{N}]/u.test(piece)) parts.push({ text: piece, matched: false });
    else if (spaced(piece)) parts.push({ text: piece, matched: matches(folded(piece), stems) });
    else parts.push(...unspaced(piece, stems));
  }
  return parts;
}

/** What a text says from the first word on that matches a term; all of it if none does. */
export function fromFirstMatch(text: string, terms: readonly string[]): string {
  let at = 0;
  for (const part of matchedParts(text, terms)) {
    if (part.matched) return text.slice(at);
    at += part.text.length;
  }
  return text;
}

function folded(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** What stays of a word when endings come and go: "runs" and "running" are found by "run". */
function stemOf(word: string): string {
  if (!spaced(word)) return word;
  return word.length > 5 ? word.slice(0, -2) : word.length > 3 ? word.replace(/s$/, "") : word;
}

function matches(word: string, stems: readonly string[]): boolean {
  return stems.some((stem) => word === stem || (stem.length > 2 && word.startsWith(stem) && word.length <= stem.length + 5) || (stem.length === 2 && word === `${stem}s`));
}

/** Whether a script is written with spaces; roughly, those before Thai are. */
function spaced(word: string): boolean {
  return /^[\0-\u0dff\u1e00-\u1fff]/.test(word);
}

function unspaced(piece: string, stems: readonly string[]): Part[] {
  const wanted = stems.filter((stem) => !spaced(stem) && piece.includes(stem)).sort((one, other) => other.length - one.length);
  const parts: Part[] = [];
  let rest = piece;
  while (rest) {
    const stem = wanted.find((each) => rest.startsWith(each));
    const length = stem?.length ?? 1;
    const last = parts.at(-1);
    if (last && last.matched === Boolean(stem)) parts[parts.length - 1] = { text: last.text + rest.slice(0, length), matched: last.matched };
    else parts.push({ text: rest.slice(0, length), matched: Boolean(stem) });
    rest = rest.slice(length);
  }
  return parts;
}

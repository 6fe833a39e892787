// What differs between two texts: the lines around each change, its words compared by the reader.

export interface Passage {
  /** The number of the first line, in the newer text. */
  readonly line: number;
  readonly old: string;
  readonly added: string;
}

const CELLS_MAX = 4_000_000;
const NEAR = 1;

/** The changed passages of two texts, each with a line around it. */
export function passages(old: string, added: string): Passage[] {
  const [one, other] = [lines(old), lines(added)];
  const found: Passage[] = [];
  let [a, b] = [0, 0];
  for (const [nextA, nextB] of [...kept(one, other), [one.length, other.length] as const]) {
    if (nextA > a || nextB > b) {
      const [before, after] = [told(one.slice(Math.max(0, a - NEAR), a)), told(one.slice(nextA, nextA + NEAR))];
      found.push({
        line: Math.max(1, b + 1 - before.length),
        old: [...before, ...one.slice(a, nextA), ...after].join(""),
        added: [...before, ...other.slice(b, nextB), ...after].join(""),
      });
    }
    [a, b] = [nextA + 1, nextB + 1];
  }
  return found;
}

/** Lines that say something; an empty one tells nothing of where a change is. */
function told(some: readonly string[]): readonly string[] {
  return some.every((line) => line.trim() === "") ? [] : some;
}

function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The lines that both texts have, as pairs of places. */
function kept(one: readonly string[], other: readonly string[]): (readonly [number, number])[] {
  let head = 0;
  while (head < one.length && head < other.length && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < one.length - head && tail < other.length - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  const found: (readonly [number, number])[] = [];
  for (let at = 0; at < head; at++) found.push([at, at]);
  const [high, wide] = [one.length - head - tail, other.length - head - tail];
  if (high * wide <= CELLS_MAX) for (const [a, b] of common(one, other, head, high, wide)) found.push([a, b]);
  for (let at = tail; at > 0; at--) found.push([one.length - at, other.length - at]);
  return found;
}

function* common(one: readonly string[], other: readonly string[], head: number, high: number, wide: number): Generator<readonly [number, number]> {
  const row = wide + 1;
  const lengths = new Uint16Array((high + 1) * row);
  for (let a = high - 1; a >= 0; a--) {
    for (let b = wide - 1; b >= 0; b--) {
      const same = one[head + a] === other[head + b];
      lengths[a * row + b] = same ? lengths[(a + 1) * row + b + 1]! + 1 : Math.max(lengths[(a + 1) * row + b]!, lengths[a * row + b + 1]!);
    }
  }
  for (let a = 0, b = 0; a < high && b < wide; ) {
    if (one[head + a] === other[head + b]) yield [head + a++, head + b++];
    else if (lengths[(a + 1) * row + b]! >= lengths[a * row + b + 1]!) a++;
    else b++;
  }
}

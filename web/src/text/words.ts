// Word-level differences between two short texts, as stretches that stay, go or come.

export interface Stretch {
  readonly kind: "same" | "old" | "new";
  readonly text: string;
}

const WORD = /\p{L}[\p{L}\p{M}\p{N}'’]*|\p{N}+|\s+|[^\p{L}\p{N}\s]/gu;
const TABLE_MAX = 250_000;

export function wordDiff(old: string, added: string): Stretch[] {
  const one = old.match(WORD) ?? [];
  const other = added.match(WORD) ?? [];
  let head = 0;
  while (head < one.length && head < other.length && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < one.length - head && tail < other.length - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  const found: Stretch[] = [];
  push(found, "same", one.slice(0, head));
  middle(found, one.slice(head, one.length - tail), other.slice(head, other.length - tail));
  push(found, "same", one.slice(one.length - tail));
  return smoothed(found);
}

/** Let a change run on over blanks between changed words, so that it reads as one. */
function smoothed(stretches: Stretch[]): Stretch[] {
  const found: Stretch[] = [];
  let [old, added] = ["", ""];
  const flush = () => {
    push(found, "old", [old]);
    push(found, "new", [added]);
    [old, added] = ["", ""];
  };
  stretches.forEach(({ kind, text }, at) => {
    const last = at === stretches.length - 1;
    if (kind === "old") old += text;
    else if (kind === "new") added += text;
    else if (!text.trim() && (old || added) && !last) [old, added] = [old + text, added + text];
    else {
      flush();
      push(found, "same", [text]);
    }
  });
  flush();
  return found;
}

function middle(found: Stretch[], one: string[], other: string[]): void {
  if (one.length * other.length > TABLE_MAX) {
    push(found, "old", one);
    push(found, "new", other);
    return;
  }
  const lengths = table(one, other);
  const wide = other.length + 1;
  let a = 0;
  let b = 0;
  while (a < one.length || b < other.length) {
    if (a < one.length && b < other.length && one[a] === other[b]) {
      push(found, "same", [one[a]!]);
      a++;
      b++;
    } else if (b >= other.length || (a < one.length && lengths[(a + 1) * wide + b]! >= lengths[a * wide + b + 1]!)) {
      push(found, "old", [one[a++]!]);
    } else push(found, "new", [other[b++]!]);
  }
}

function table(one: string[], other: string[]): Uint32Array {
  const wide = other.length + 1;
  const lengths = new Uint32Array((one.length + 1) * wide);
  for (let a = one.length - 1; a >= 0; a--) {
    for (let b = other.length - 1; b >= 0; b--) {
      lengths[a * wide + b] =
        one[a] === other[b]
          ? lengths[(a + 1) * wide + b + 1]! + 1
          : Math.max(lengths[(a + 1) * wide + b]!, lengths[a * wide + b + 1]!);
    }
  }
  return lengths;
}

function push(found: Stretch[], kind: Stretch["kind"], words: string[]): void {
  const text = words.join("");
  if (!text) return;
  const last = found.at(-1);
  if (last?.kind === kind) found[found.length - 1] = { kind, text: last.text + text };
  else found.push({ kind, text });
}

// Reads JSON texts, one a line, from stdin; writes what the page's parser finds, one a line.
import { createInterface } from "node:readline";
import { accepted, base, idsOf, parse, sides, suggestions, type Mark } from "../../../web/src/critic/index.ts";

for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line) as string;
  const points = pointsOf(text);
  const row = (mark: Mark) => [
    mark.kind, ...[mark.start, mark.body, mark.middle, mark.tail, mark.end].map((at) => points[at]),
    mark.meta && [mark.meta.author, mark.meta.time, ...mark.meta.earlier],
  ];
  const marked = parse(text);
  const pending = suggestions(marked);
  const ids = idsOf(marked, pending);
  console.log(JSON.stringify({
    suggested: marked.suggested.map(row),
    comments: marked.comments.map(row),
    highlights: marked.highlights.map(row),
    fences: marked.fences.map(([start, end]) => [points[start], points[end]]),
    pending: pending.map((s, at) => {
      const { old, new: added } = sides(marked, s);
      return [ids[at], s.kind, old, added, s.author];
    }),
    accepted: accepted(text),
    base: base(text),
  }));
}

/** For each place in UTF-16 units, how many characters stand before it. */
function pointsOf(text: string): number[] {
  const points: number[] = [];
  let count = 0;
  for (const character of text) {
    for (let unit = 0; unit < character.length; unit++) points.push(count);
    count++;
  }
  return [...points, count];
}

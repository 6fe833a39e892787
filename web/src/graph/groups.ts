// What the notes of a graph have in common, for their colours: top folders, or tags.

import type { Answers } from "../api.ts";

type Graph = Answers["graph"];
export type By = "folder" | "tag" | "none";

export interface Groups {
  /** The largest first; each has a colour of its own. */
  readonly names: readonly string[];
  /** The number of each note's group, or -1. */
  readonly of: Int16Array;
}

export const COLOURS = 10;

export function groupsOf(graph: Graph, by: By): Groups {
  if (by === "none") return { names: [], of: new Int16Array(graph.nodes.length).fill(-1) };
  return by === "tag" ? byTag(graph) : byFolder(graph);
}

function byFolder({ nodes }: Graph): Groups {
  const folders = nodes.map(({ id }) => id.slice(0, Math.max(0, id.indexOf("/"))));
  const counts = new Map<string, number>();
  for (const folder of folders) if (folder) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  const names = [...counts].sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1)).slice(0, COLOURS).map(([name]) => name);
  const places = new Map(names.map((name, at) => [name, at]));
  return { names, of: Int16Array.from(folders, (folder) => places.get(folder) ?? -1) };
}

/** A note with several tags counts for the rarest of those that have a colour: it tells the most. */
function byTag({ nodes, tags }: Graph): Groups {
  const shown = tags.slice(0, COLOURS);
  const of = new Int16Array(nodes.length).fill(-1);
  shown.forEach(([, members], at) => members.forEach((member) => (of[member] = at)));
  return { names: shown.map(([name]) => `#${name}`), of };
}

/** Where notes begin before they are laid out: those of a folder together, the same each time. */
export function beginnings(graph: Graph): { x: Float32Array; y: Float32Array } {
  const { of, names } = byFolder(graph);
  const count = graph.nodes.length;
  const spread = 14 * Math.sqrt(count);
  const seen = new Map<number, number>();
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  for (let at = 0; at < count; at++) {
    const group = of[at]!;
    const order = seen.get(group) ?? 0;
    seen.set(group, order + 1);
    const turn = (2 * Math.PI * (group + 1)) / (names.length + 1);
    const [far, angle] = [9 * Math.sqrt(order + 0.5), order * 2.399963];
    x[at] = Math.cos(turn) * (names.length ? spread : 0) + Math.cos(angle) * far;
    y[at] = Math.sin(turn) * (names.length ? spread : 0) + Math.sin(angle) * far;
  }
  return { x, y };
}

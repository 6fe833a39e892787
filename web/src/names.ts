// Notes by what they are called: file names first, then other names, then what merely resembles.

import { get, maybe } from "./api.ts";
import type { Completed } from "./editor/wikilinks.ts";
import { type Note, notes, recent } from "./store.ts";
import { find } from "./text/fuzzy.ts";
import { nameOf } from "./text/paths.ts";

export interface Named {
  readonly path: string;
  /** Another name of the note, or a heading in it; empty for its file name. */
  readonly name: string;
  readonly kind: "file" | "alias" | "title" | "heading";
}

const COMPLETIONS_MAX = 20;
const KEPT_MAX = 50;
const TIERS = { same: 0, start: 1, within: 2, alias: 3, title: 4, heading: 5, resembling: 6 } as const;

/** What the server knows by other names, for what was typed before. */
const kept = new Map<string, readonly Named[]>();

/** Ask for the aliases, titles and headings that hold what was typed. */
export async function otherNames(typed: string): Promise<readonly Named[]> {
  const wanted = typed.trim().toLowerCase();
  const known = kept.get(wanted);
  if (known || !wanted) return known ?? [];
  const found = (await maybe(get("names", { q: wanted })))?.names ?? [];
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value!);
  kept.set(wanted, found);
  setTimeout(() => kept.delete(wanted), 10_000);
  return found;
}

/** Rank notes for a half-typed name, with what the server knows of other names. */
export function ranked(typed: string, others: readonly Named[], limit: number): Named[] {
  const wanted = typed.trim().toLowerCase();
  const all = notes.peek() ?? [];
  const found = find(wanted, all, (note) => note.key, limit * 2).map(({ item, score }) => ({ named: { path: item.path, name: "", kind: "file" as const }, tier: tierOf(wanted, item), score }));
  const known = new Set(found.filter(({ tier }) => tier < TIERS.resembling).map(({ named }) => named.path));
  const more = others
    .filter(({ path, kind }) => kind === "heading" || !known.has(path))
    .map((named) => ({ named, tier: named.name.toLowerCase() === wanted && named.kind !== "heading" ? TIERS.same + 0.5 : TIERS[named.kind as "alias"], score: named.name.toLowerCase().startsWith(wanted) ? 1 : 0 }));
  const by = [...found, ...more].sort((one, other) => one.tier - other.tier || other.score - one.score);
  const seen = new Set<string>();
  // A note stands here once, by the best of its names; headings are places of their own.
  return by.flatMap(({ named }) => (named.kind !== "heading" && seen.has(named.path) ? [] : (seen.add(named.path), [named]))).slice(0, limit);
}

function tierOf(wanted: string, note: Note): number {
  const name = note.key.slice(note.key.lastIndexOf("/") + 1);
  if (name === wanted || note.key === wanted) return TIERS.same;
  if (name.startsWith(wanted) || note.key.startsWith(wanted)) return TIERS.start;
  return name.includes(wanted) || note.key.includes(wanted) ? TIERS.within : TIERS.resembling;
}

/** Tell whether the other names that hold what was typed are here. */
export const areKnown = (typed: string): boolean => kept.has(typed.trim().toLowerCase());

/** Complete a link at once, with the other names that are here; `otherNames` brings more. */
export function completeName(typed: string): readonly Completed[] {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) {
    const all = notes.peek() ?? [];
    const known = new Set(all.map((note) => note.path));
    const last = recent.peek().filter((path) => known.has(path));
    return [...new Set([...last, ...all.slice(0, COMPLETIONS_MAX).map((note) => note.path)])].slice(0, COMPLETIONS_MAX).map((path) => ({ path, alias: "" }));
  }
  const others = [...kept].filter(([asked]) => wanted.startsWith(asked)).at(-1)?.[1] ?? [];
  const fitting = others.filter(({ name, kind }) => kind === "alias" && name.toLowerCase().includes(wanted));
  return ranked(wanted, fitting, COMPLETIONS_MAX).map(({ path, name }) => ({ path, alias: name === nameOf(path) ? "" : name }));
}

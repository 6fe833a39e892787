// Giving notes and folders another name or place; links in all notes follow.

import { post } from "./api.ts";
import { complain, followMove, loadNotes, open, place, tell, UNDO } from "./store.ts";

interface Renamed {
  readonly path: string;
  readonly links: number;
  readonly ambiguous: readonly string[];
  readonly undo?: string;
}

interface MovedFolder {
  readonly path: string;
  readonly notes: number;
  readonly files: number;
  readonly left: readonly string[];
}

export function withSuffix(path: string): string {
  const trimmed = path.trim().replace(/^\/+/, "");
  return /\.md$/i.test(trimmed) ? trimmed : `${trimmed}.md`;
}

const isOpen = (path: string) => {
  const now = place.peek();
  return now.view === "note" && now.path === path;
};

/** Rename a note; throws what the server says against it. */
export async function moveNote(path: string, to: string): Promise<void> {
  const shown = isOpen(path);
  const done = await post<Renamed>("notes/rename", { path, to: withSuffix(to) });
  const left = done.ambiguous.length ? ` ${done.ambiguous.length} were unclear and stay as they are.` : "";
  tell(`Renamed; ${done.links === 1 ? "1 link follows" : `${done.links} links follow`}.${left}`, done.undo ? { label: UNDO, run: () => void undo(done.path, done.undo!, shown) } : undefined);
  await loadNotes();
  followMove(path, done.path);
  if (shown) open(done.path);
}

async function undo(from: string, token: string, shown: boolean): Promise<void> {
  try {
    const { path } = await post<{ path: string }>("notes/rename/undo", { undo: token });
    await loadNotes();
    followMove(from, path);
    if (shown) open(path);
  } catch (error) {
    complain(error);
  }
}

/** Rename a folder with everything in it; throws what the server says against it. */
export async function moveFolder(path: string, to: string): Promise<void> {
  const done = await post<MovedFolder>("folders/rename", { path, to: to.trim().replace(/^\/+|\/+$/g, "") });
  const moved = [count(done.notes, "note"), ...(done.files ? [count(done.files, "file")] : [])].join(" and ");
  const left = done.left.length ? ` ${count(done.left.length, "thing")} could not follow: ${done.left[0]}` : "";
  tell(`Moved ${moved}.${left}`, { label: UNDO, run: () => void moveFolder(done.path, path).catch(complain) });
  await loadNotes();
}

const count = (number: number, noun: string) => `${number.toLocaleString()} ${noun}${number === 1 ? "" : "s"}`;

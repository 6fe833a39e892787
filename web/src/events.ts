// Hears from the server what changes, and passes it on.

import { effect, signal } from "@preact/signals";

import { get, maybe } from "./api.ts";
import { approvals, followMove, loadNotes, notes, refreshNotes } from "./store.ts";

const FEW = 20;
const GATHER_MS = 150;

/** Counts up whenever suggestions changed somewhere; `touched` says in which notes. */
export const reviewed = signal(0);
export const touched = signal<readonly string[]>([]);
export const assistantsChanged = signal(0);

interface Notes {
  changed?: string[];
  gone?: string[];
  appeared?: string[];
  moved?: [string, string][];
}

export function listen(): void {
  const source = new EventSource("api/events");
  let wasOpen = false;
  source.addEventListener("open", () => {
    if (wasOpen) void loadNotes();
    wasOpen = true;
  });
  source.addEventListener("notes", (event) => gather(JSON.parse(event.data as string) as Notes));
  source.addEventListener("suggestions", (event) => {
    touched.value = (JSON.parse(event.data as string) as { paths: string[] }).paths;
    reviewed.value++;
  });
  source.addEventListener("approvals", (event) => {
    approvals.value = (JSON.parse(event.data as string) as { count: number }).count;
  });
  source.addEventListener("assistants", () => assistantsChanged.value++);
  // A server without the stream answers 404, and the browser does not try again.
  effect(() => void maybe(get("approvals")).then((found) => (approvals.value = found ? found.approvals.length : null)));
}

let changed = new Set<string>();
let gone = new Set<string>();
let timer = 0;

function gather(told: Notes): void {
  for (const [from, to] of told.moved ?? []) followMove(from, to);
  for (const path of [...(told.changed ?? []), ...(told.appeared ?? [])]) {
    changed.add(path);
    gone.delete(path);
  }
  for (const path of told.gone ?? []) {
    gone.add(path);
    changed.delete(path);
  }
  timer ||= window.setTimeout(() => void flush(), GATHER_MS);
}

async function flush(): Promise<void> {
  timer = 0;
  const [came, went] = [[...changed], [...gone]];
  [changed, gone] = [new Set(), new Set()];
  if (came.length + went.length > FEW || !notes.peek()) await loadNotes();
  else await refreshNotes(came, went);
}

// Hears from the server what changes, and passes it on.

import { effect, signal } from "@preact/signals";

import { get, maybe, onFailure } from "./api.ts";
import { approvals, followMove, loadNotes, notes, refreshNotes } from "./store.ts";

const FEW = 20;
const GATHER_MS = 150;

/** Counts up whenever suggestions changed somewhere; `touched` says in which notes. */
export const reviewed = signal(0);
export const touched = signal<readonly string[]>([]);
/** Counts up whenever a change set began, was named, finished, sent back, split or merged. */
export const arranged = signal(0);
export const assistantsChanged = signal(0);
/** Counts up when the server is there again: whatever could not be asked is asked once more. */
export const returned = signal(0);
/** Counts up when files arrived at the server that had waited for it. */
export const filesArrived = signal(0);
const AGAIN_MS = 3000;
let isOpen = () => false;
let isDue = false;

interface Notes {
  changed?: string[];
  gone?: string[];
  appeared?: string[];
  moved?: [string, string][];
}

export function listen(again = false): void {
  const source = new EventSource("api/events");
  let wasOpen = again;
  onFailure(askAgain);
  isOpen = () => source.readyState === EventSource.OPEN;
  source.addEventListener("open", () => {
    // Also at first: something may have changed after it was asked for and before we were heard.
    void import("./ready.ts").then(({ loadChanged }) => loadChanged());
    if (wasOpen) returned.value++;
    else arranged.value++;
    wasOpen = true;
    void import("./files.ts").then(({ sendWaiting }) => sendWaiting());
  });
  // A server that is just starting may refuse the stream, and the browser then does not try again.
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED && wasOpen) setTimeout(() => listen(true), AGAIN_MS);
  });
  source.addEventListener("notes", (event) => gather(JSON.parse(event.data as string) as Notes));
  source.addEventListener("suggestions", (event) => {
    touched.value = (JSON.parse(event.data as string) as { paths: string[] }).paths;
    reviewed.value++;
  });
  source.addEventListener("approvals", (event) => {
    approvals.value = (JSON.parse(event.data as string) as { count: number }).count;
  });
  source.addEventListener("sets", () => arranged.value++);
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

/** An answer failed though the server is there: let the views ask once more, in a while. */
function askAgain(): void {
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    if (isOpen()) returned.value++;
  }, AGAIN_MS);
}

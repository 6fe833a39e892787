// What a page does once it hears from the server: it catches up with what it missed, and tells when a
// change set is ready for review: aloud, and outside the page if the person wants that.

import { effect, signal } from "@preact/signals";

import { get, maybe } from "./api.ts";
import { arranged, returned, reviewed } from "./events.ts";
import { inTurn } from "./in_turn.ts";
import { hrefOfSet, type SetSummary, titleOf } from "./sets.ts";
import { announced, approvals, closed, loadNotes, version } from "./store.ts";

const GATHER_MS = 600;
const OPEN_MS = 20_000;
const KEY = "notify-sets";

export const notifies = signal(canNotify() && Notification.permission === "granted" && localStorage.getItem(KEY) === "yes");

function canNotify(): boolean {
  return typeof Notification !== "undefined";
}

/** Ask the browser once; it is the person's to say. From then on nothing that gets ready is missed. */
export async function toggleNotifying(): Promise<void> {
  const wanted = !notifies.peek() && canNotify() && (await Notification.requestPermission()) === "granted";
  if (wanted) await look();
  notifies.value = wanted;
  localStorage.setItem(KEY, wanted ? "yes" : "no");
}

export const offersNotifying = canNotify;

/** Which sets a person can decide: those that are finished, and those that an assistant waits for. */
export function decidable(sets: readonly SetSummary[]): SetSummary[] {
  return sets.filter((one) => one.number > 0 && one.waiting > 0 && !one.sent_back && (one.state !== "open" || one.parked > 0));
}

let known: ReadonlySet<number> | null = null;
let [soon, later] = [0, 0];

const look = inTurn(async () => {
  if (closed.peek().has("sets")) return;
  const found = await maybe(get("sets"));
  if (!found) return;
  const now = decidable(found.sets);
  const fresh = known ? now.filter(({ number }) => !known!.has(number)) : [];
  known = new Set(now.map(({ number }) => number));
  for (const one of fresh) tellOf(one);
  // A set becomes ready by itself, when nothing more comes.
  clearTimeout(later);
  if (found.sets.some(({ state, waiting }) => state === "open" && waiting > 0)) later = window.setTimeout(() => void look(), OPEN_MS);
});

function tellOf(set: SetSummary): void {
  announced.value = `${set.who || "An assistant"} has a change set ready for review: ${titleOf(set)}.`;
  if (!notifies.peek() || !document.hidden) return;
  const shown = new Notification(titleOf(set), { body: `${set.who}: ${set.waiting === 1 ? "1 change waits" : `${set.waiting} changes wait`} for you`, tag: `set-${set.number}` });
  shown.onclick = () => { window.focus(); location.hash = hrefOfSet(set.number); };
}

/** Load the list of notes again if it is another one than we have. */
export async function loadChanged(): Promise<void> {
  const options: RequestInit = { headers: { "if-none-match": version }, cache: "no-store", credentials: "same-origin" };
  const answer = version ? await fetch("api/tree", options).catch(() => null) : null;
  if (answer?.status !== 304) await loadNotes();
}

/** Look at once, so that whatever gets ready from now on is known to be new; then after each change. */
export function followSets(): () => void {
  void look();
  return effect(() => {
    void [reviewed.value, arranged.value, returned.value, approvals.value];
    soon ||= window.setTimeout(() => { soon = 0; void look(); }, GATHER_MS);
  });
}

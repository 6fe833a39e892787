// Change sets as the server tells of them, and what one goes through in a set.

import { get, type Pending, post } from "./api.ts";

export interface SetSummary {
  readonly number: number;
  readonly title: string;
  readonly why: string;
  readonly who: string;
  readonly began: number;
  readonly last: number;
  readonly state: "open" | "ready" | "partly decided" | "accepted" | "rejected" | "withdrawn";
  readonly sent_back: string;
  /** The conversation with an agent that it came from, or empty. */
  readonly conversation: string;
  readonly notes: number;
  readonly added: number;
  readonly removed: number;
  readonly parked: number;
  readonly waiting: number;
  readonly accepted: number;
  readonly modified: number;
  readonly rejected: number;
  readonly withdrawn: number;
  readonly other: number;
}

export interface Risk {
  readonly kind: string;
  readonly found: readonly string[];
}

export interface ParkedWrite {
  readonly id: string;
  readonly operation: "create" | "update" | "delete" | "rename";
  readonly path: string;
  readonly who: string;
  readonly time: number;
  readonly summary: string;
  readonly diff: string;
  readonly to: string | null;
  readonly text: string | null;
}

export interface SetNote {
  readonly path: string;
  readonly risks: readonly Risk[];
  readonly changes: readonly Pending[];
  readonly writes: readonly ParkedWrite[];
  readonly threads: readonly Thread[];
}

/** Comments that answer each other, about a change or a passage. */
export interface Thread {
  readonly line: number;
  readonly about: string;
  readonly change: string;
  readonly said: readonly { readonly text: string; readonly who: string; readonly time: number | null }[];
}

export interface Ended {
  readonly path: string;
  readonly id: string;
  readonly old: string;
  readonly new: string;
  readonly who: string;
  readonly decision: string;
  readonly reason: string;

}

export interface SetDetail {
  readonly set: SetSummary;
  readonly notes: readonly SetNote[];
  readonly done: readonly { readonly id: number; readonly operation: string; readonly path: string }[];
  readonly ended: readonly Ended[];
  readonly decisions: readonly { readonly id: number; readonly verdict: string; readonly count: number }[];
}

/** One thing to decide. */
export type Item =
  | { readonly key: string; readonly path: string; readonly change: Pending; readonly write: null }
  | { readonly key: string; readonly path: string; readonly change: null; readonly write: ParkedWrite };

export const keyOfChange = (path: string, id: string) => `${path}~${id}`;
export const keyOfWrite = (path: string, id: string) => `${path}~w${id}`;

const made = new WeakMap<SetNote, readonly Item[]>();

/** What waits in a note; the same list for the same note. */
export function itemsOfNote(note: SetNote): readonly Item[] {
  const { path, changes, writes } = note;
  const items = made.get(note) ?? [
    ...writes.map((write) => ({ key: keyOfWrite(path, write.id), path, change: null, write })),
    ...changes.map((change) => ({ key: keyOfChange(path, change.id), path, change, write: null })),
  ];
  made.set(note, items);
  return items;
}

/** Everything that waits, in the order in which one goes through it. */
export const itemsOf = (notes: readonly SetNote[]): Item[] => notes.flatMap(itemsOfNote);

/** Find again what was meant: deciding one of several like suggestions gives the others new names. */
export function foundAgain(wanted: Item, before: readonly Item[], now: readonly Item[]): Item | undefined {
  const same = now.find(({ key }) => key === wanted.key);
  if (same || !wanted.change) return same;
  const isTwin = ({ path, change }: Item) => path === wanted.path && change?.old === wanted.change?.old && change?.new === wanted.change?.new;
  const at = before.filter(isTwin).findIndex(({ key }) => key === wanted.key);
  return now.filter(isTwin)[at];
}

export const hrefOfSet = (number: number, key = "") => `#set!${number}${key ? `!${encodeURIComponent(key).replaceAll("!", "%21")}` : ""}`;

export const titleOf = (set: SetSummary) =>
  set.title || (set.number === 0 ? "Suggested by hand" : set.notes === 1 ? "Changes in one note" : `Changes in ${set.notes.toLocaleString()} notes`);

export const listSets = () => get("sets");
const RISKY = ["deletes", "renames", "properties", "rewritten", "broken links", "invisible", "other sites"];
const collator = new Intl.Collator(undefined, { numeric: true });
const worst = ({ risks }: SetNote) => Math.min(RISKY.length, ...risks.map(({ kind }) => RISKY.indexOf(kind)));

/**
 * A set with its notes in order: what is risky first, the worst of it before all. A note that is as
 * it was `before` is the same value: it need not be drawn again.
 */
export async function loadSet(number: number, before: SetDetail | null): Promise<SetDetail> {
  const found = (await get(`sets/${number}`)) as SetDetail;
  const known = new Map(before?.notes.map((note) => [note.path, note]));
  const same = (note: SetNote) => { const was = known.get(note.path); return was && JSON.stringify(was) === JSON.stringify(note) ? was : note; };
  const notes = found.notes.map(same).sort((one, other) => worst(one) - worst(other) || collator.compare(one.path, other.path));
  return { ...found, notes };
}

/** What is yet to follow of the last decision: all of it, or files alone. */
export interface Following {
  readonly carried_out: boolean;
  readonly notes: number;
  readonly refused: string;
}

/** Decide; answered once it is on record, unless later decisions depend on how it came out. */
export function decideItems(number: number, decision: "accept" | "reject", items: readonly Item[], reason: string, soon: boolean, text?: string) {
  const changes = items.flatMap(({ path, change }) => (change ? [{ path, id: change.id }] : []));
  const writes = items.flatMap(({ write }) => (write ? [write.id] : []));
  return post<{ decision: { id: number; count: number }; following: Following }>(`sets/${number}/decide`, { decision, changes, writes, reason, soon, text });
}

const ASK_MS = 300;

/** Follow a decision until it is carried out and all files have it; fails if it was taken back. */
export async function follow(number: number, first: Following, tell: (now: Following) => void, until: (now: Following) => boolean): Promise<Following> {
  let now = first;
  while (!until(now)) {
    tell(now);
    await new Promise((done) => setTimeout(done, ASK_MS));
    now = (await get(`sets/${number}/following`)).following;
  }
  if (now.refused) throw new Error(now.refused);
  tell(now);
  return now;
}

const RISKS: Record<string, string> = {
  deletes: "deletes the note",
  renames: "renames the note",
  properties: "changes properties",
  rewritten: "rewrites much",
  "broken links": "links that break",
  invisible: "invisible characters",
  "other sites": "links to other sites",
};
export const riskOf = ({ kind, found }: Risk) => `${RISKS[kind] ?? kind}${found.length ? `: ${found.join(", ")}` : ""}`;

// Edits that the server has not saved yet, kept in this browser.
//
// A draft is an update of Yjs, which only fits the history it was made in, and the two texts it
// lies between, which fit any: a server that lost its state begins a note under a new id or epoch.
// Texts of long notes are kept in this tab alone.

import { keptAs } from "../place.ts";

const PREFIX = keptAs("draft.");
const CHARS_MAX = 2_000_000;
const TEXTS_MAX = 400_000;

/** What the server had, and what it was made into here. */
export interface Texts {
  readonly base: string;
  readonly mine: string;
}

interface Draft {
  readonly path: string;
  readonly epoch: number;
  readonly update: string;
  readonly texts: Texts | null;
}

export interface Named {
  readonly id: string;
  readonly path: string;
  readonly epoch: number;
}

/** What was not saved; without an update that fits, its texts go together with what is there now. */
export interface Unsaved {
  /** The document that it was written in. */
  readonly id: string;
  readonly update: Uint8Array | null;
  readonly texts: Texts | null;
}

const open = new Map<string, Draft>();

export function keepDraft({ id, path, epoch }: Named, update: Uint8Array, texts: Texts | null): void {
  const draft: Draft = { path, epoch, update: toBase64(update), texts };
  open.set(id, draft);
  const short = !texts || texts.base.length + texts.mine.length <= TEXTS_MAX;
  if (draft.update.length > CHARS_MAX) return;
  try {
    localStorage.setItem(PREFIX + id, JSON.stringify(short ? draft : { ...draft, texts: null }));
  } catch {
    // The browser's store is full or forbidden; the open tab still holds the edits.
  }
}

export function takeDraft({ id, path, epoch }: Named): Unsaved | null {
  const same = read(id);
  if (same?.epoch === epoch) return { id, update: fromBase64(same.update), texts: same.texts };
  for (const other of [id, ...stored()]) {
    const draft = read(other);
    if (draft?.path !== path || !draft.texts) continue;
    return { id: other, update: null, texts: draft.texts };
  }
  return null;
}

export function forgetDraft(id: string): void {
  open.delete(id);
  localStorage.removeItem(PREFIX + id);
}

function stored(): string[] {
  const keys = [...open.keys(), ...Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length))];
  return [...new Set(keys)];
}

function read(id: string): Draft | null {
  try {
    return open.get(id) ?? (JSON.parse(localStorage.getItem(PREFIX + id) ?? "null") as Draft | null);
  } catch {
    return null;
  }
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

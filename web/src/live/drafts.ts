// Edits that the server has not saved yet, kept in this browser.

const PREFIX = "commonplace.draft.";
const CHARS_MAX = 2_000_000;

interface Draft {
  readonly epoch: number;
  readonly update: string;
}

export function keepDraft(id: string, epoch: number, update: Uint8Array): void {
  const draft: Draft = { epoch, update: toBase64(update) };
  if (draft.update.length > CHARS_MAX) return;
  try {
    localStorage.setItem(PREFIX + id, JSON.stringify(draft));
  } catch {
    // The browser's store is full or forbidden; the open tab still holds the edits.
  }
}

export function readDraft(id: string, epoch: number): Uint8Array | null {
  try {
    const draft = JSON.parse(localStorage.getItem(PREFIX + id) ?? "null") as Draft | null;
    return draft?.epoch === epoch ? fromBase64(draft.update) : null;
  } catch {
    return null;
  }
}

export function forgetDraft(id: string): void {
  localStorage.removeItem(PREFIX + id);
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

// Everything one can do, in one table: the palette, the help and the keys all read it.

import { signal } from "@preact/signals";

import { dialog, isDark, panelOpen, panelTab, place, readOnly, sidebarOpen, theme, undoing } from "./store.ts";

export interface Command {
  readonly title: string;
  /** A key that works when no text is being written; with `Mod+` everywhere. */
  readonly key?: string;
  readonly when?: () => boolean;
  readonly run: () => void;
}

export interface NoteActions {
  readonly setMode: (mode: "write" | "suggest" | "read") => void;
  readonly next: () => void;
  readonly previous: () => void;
  readonly accept: () => void;
  readonly reject: () => void;
  readonly acceptAll: () => void;
  readonly rejectAll: () => void;
  readonly beside: () => void;
  readonly properties: () => void;
}

/** What the open note can do; set while one is open. */
export const noteActions = signal<NoteActions | null>(null);

const inNote = () => noteActions.value !== null;
const writable = () => !readOnly.value;
const canWrite = () => inNote() && writable();
const here = () => (place.value.view === "note" ? place.value.path : "");
const show = (tab: typeof panelTab.value) => () => {
  panelOpen.value = true;
  panelTab.value = tab;
  setTimeout(() => document.getElementById(`tab-${tab}`)?.focus());
};
const go = (hash: string) => () => {
  location.hash = hash;
};

export const commands: readonly Command[] = [
  { title: "Find a note or command", key: "Mod+k", run: () => (dialog.value = { kind: "palette", typed: "" }) },
  { title: "Search all notes", key: "/", run: go("#search!") },
  { title: "Review suggestions", key: "r", run: go("#review") },
  { title: "Answer approvals", key: "i", when: writable, run: go("#approvals") },
  { title: "Show the graph of all notes", key: "g", run: go("#graph") },
  { title: "Show all tags", key: "t", run: go("#tags") },
  { title: "New note", key: "n", when: writable, run: () => (dialog.value = { kind: "create", path: "", template: "" }) },
  { title: "Rename or move this note", when: canWrite, run: () => (dialog.value = { kind: "rename", path: here() }) },
  { title: "Delete this note", when: canWrite, run: () => (dialog.value = { kind: "delete", path: here() }) },
  { title: "Next suggestion", key: "F8", when: inNote, run: () => noteActions.value?.next() },
  { title: "Previous suggestion", key: "Shift+F8", when: inNote, run: () => noteActions.value?.previous() },
  { title: "Accept the suggestion at the cursor", key: "Mod+Enter", when: canWrite, run: () => noteActions.value?.accept() },
  { title: "Reject the suggestion at the cursor", key: "Mod+Backspace", when: canWrite, run: () => noteActions.value?.reject() },
  { title: "Accept all suggestions in this note", when: canWrite, run: () => noteActions.value?.acceptAll() },
  { title: "Reject all suggestions in this note", when: canWrite, run: () => noteActions.value?.rejectAll() },
  { title: "Write", key: "w", when: inNote, run: () => noteActions.value?.setMode("write") },
  { title: "Suggest: what you type becomes a suggestion", key: "s", when: canWrite, run: () => noteActions.value?.setMode("suggest") },
  { title: "Read", key: "v", when: inNote, run: () => noteActions.value?.setMode("read") },
  { title: "Show the preview beside the text", key: "b", when: inNote, run: () => noteActions.value?.beside() },
  { title: "Properties as a form, as text, or new ones", when: inNote, run: () => noteActions.value?.properties() },
  { title: "Show what is suggested in this note", key: "1", when: inNote, run: show("suggestions") },
  { title: "Show the links of this note", key: "2", when: inNote, run: show("links") },
  { title: "Show the outline of this note", key: "3", when: inNote, run: show("outline") },
  { title: "Show the graph around this note", key: "4", when: inNote, run: show("graph") },
  { title: "Undo the last decision, rename or deletion", key: "u", when: () => undoing.value !== null, run: () => undo() },
  { title: "Go to the list of notes", key: "l", run: () => { sidebarOpen.value = true; setTimeout(() => document.querySelector<HTMLElement>(".tree")?.focus()); } },
  { title: "Show or hide the side panel", key: "p", run: () => (panelOpen.value = !panelOpen.value) },
  { title: "Connect your assistant", key: "c", run: () => (dialog.value = { kind: "connect" }) },
  { title: "Switch between light and dark", key: "d", run: () => (theme.value = isDark.value ? "light" : "dark") },
  { title: "Follow the system's light or dark", run: () => (theme.value = "system") },
  { title: "Change your name", run: () => (dialog.value = { kind: "name" }) },
  { title: "Keyboard help", key: "?", run: () => (dialog.value = { kind: "help" }) },
];

function undo(): void {
  const run = undoing.value;
  undoing.value = null;
  run?.();
}

const mac = /Mac|iPhone|iPad/.test(navigator.platform);

export function shownKey(key: string): string {
  const words: Record<string, string> = { Mod: mac ? "⌘" : "Ctrl", Shift: mac ? "⇧" : "Shift", Alt: mac ? "⌥" : "Alt", Enter: "Enter", Backspace: "⌫" };
  return key.split("+").map((part) => words[part] ?? part.toUpperCase()).join(mac ? "" : " ");
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const mod = event.ctrlKey || event.metaKey;
    if (mod && !event.shiftKey && !event.altKey && (event.key === "k" || event.key === "o")) {
      event.preventDefault();
      dialog.value = { kind: "palette", typed: "" };
      return;
    }
    if (mod || event.altKey || isWriting(event.target) || dialog.value) return;
    const pressed = event.key === "F8" && event.shiftKey ? "Shift+F8" : event.key;
    const command = commands.find((each) => each.key === pressed && (each.when?.() ?? true));
    if (command) {
      event.preventDefault();
      command.run();
    }
  });
}

// Everything one can do, in one table: the palette, the help and the keys all read it.

import { signal } from "@preact/signals";

import { keepKey } from "./early_keys.ts";
import { closed, dialog, hideMarks, isDark, letterKeys, panelOpen, panelTab, place, promptWanted, readOnly, sidebarOpen, tell, theme, undoing } from "./store.ts";

export interface Command {
  readonly title: string;
  /** A single letter works only where nothing can be typed; other keys work everywhere. */
  readonly key?: string;
  readonly when?: () => boolean;
  readonly run: () => void;
}

export interface NoteActions {
  /** Whether text can be typed into the note as it is shown. */
  readonly canType: () => boolean;
  readonly setMode: (mode: "write" | "suggest" | "read") => void;
  readonly next: () => void;
  readonly previous: () => void;
  readonly accept: () => void;
  readonly reject: () => void;
  readonly acceptAll: () => void;
  readonly rejectAll: () => void;
  readonly beside: () => void;
  readonly properties: () => void;
  readonly authors: () => void;
  readonly comment: () => void;
}

/** What the open note can do; set while one is open. */
export const noteActions = signal<NoteActions | null>(null);

const opens = (view: string) => () => !closed.value.has(view);
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

function askAgent(): void {
  promptWanted.value = true;
  (inNote() ? show("agent") : go("#agent"))();
}

export const commands: readonly Command[] = [
  { title: "Find a note or command", key: "Mod+k", run: () => (dialog.value = { kind: "palette", typed: "" }) },
  { title: "Search all notes", key: "/", run: () => { go("#search!")(); setTimeout(() => document.querySelector<HTMLElement>(".search-input")?.focus()); } },
  { title: "Review suggestions", key: "r", run: go("#review") },
  { title: "Answer approvals", key: "i", when: () => writable() && opens("approvals")(), run: go("#approvals") },
  { title: "Show the graph of all notes", key: "g", run: go("#graph") },
  { title: "Show all tags", key: "t", run: go("#tags") },
  { title: "Show the trash", when: opens("trash"), run: go("#trash") },
  { title: "What happened in all notes", key: "h", when: opens("history"), run: go("#history") },
  { title: "History of this note", when: () => inNote() && opens("history")(), run: () => go(`#history!${encodeURIComponent(here())}`)() },
  { title: "Who wrote what", key: "a", when: () => inNote() && opens("history")(), run: () => noteActions.value?.authors() },
  { title: "New note", key: "n", when: writable, run: () => (dialog.value = { kind: "create", path: "", template: "" }) },
  { title: "New folder", when: writable, run: () => (dialog.value = { kind: "create-folder", path: "" }) },
  { title: "Rename or move this note", when: canWrite, run: () => (dialog.value = { kind: "rename", path: here() }) },
  { title: "Delete this note", when: canWrite, run: () => (dialog.value = { kind: "delete", path: here() }) },
  { title: "Next suggestion", key: "F8", when: inNote, run: () => noteActions.value?.next() },
  { title: "Previous suggestion", key: "Shift+F8", when: inNote, run: () => noteActions.value?.previous() },
  { title: "Accept the suggestion at the cursor", key: "F9", when: canWrite, run: () => noteActions.value?.accept() },
  { title: "Reject the suggestion at the cursor", key: "Shift+F9", when: canWrite, run: () => noteActions.value?.reject() },
  { title: "Accept all suggestions in this note", when: canWrite, run: () => noteActions.value?.acceptAll() },
  { title: "Reject all suggestions in this note", when: canWrite, run: () => noteActions.value?.rejectAll() },
  { title: "Comment on what is selected", key: "Mod+Alt+m", when: canWrite, run: () => noteActions.value?.comment() },
  { title: "Write", key: "w", when: inNote, run: () => noteActions.value?.setMode("write") },
  { title: "Suggest: what you type becomes a suggestion", key: "s", when: canWrite, run: () => noteActions.value?.setMode("suggest") },
  { title: "Read", key: "v", when: inNote, run: () => noteActions.value?.setMode("read") },
  { title: "Print this note", key: "Mod+p", when: inNote, run: printNote },
  { title: "Show the preview beside the text", key: "b", when: inNote, run: () => noteActions.value?.beside() },
  { title: "Properties as a form, as text, or new ones", when: inNote, run: () => noteActions.value?.properties() },
  { title: "Show what is suggested in this note", key: "1", when: inNote, run: show("suggestions") },
  { title: "Show the links of this note", key: "2", when: inNote, run: show("links") },
  { title: "Show the outline of this note", key: "3", when: inNote, run: show("outline") },
  { title: "Show the graph around this note", key: "4", when: inNote, run: show("graph") },
  { title: "Ask an agent", key: "5", when: writable, run: askAgent },
  { title: "Undo the last decision, rename or deletion", key: "u", when: () => undoing.value !== null, run: () => undo() },
  { title: "Go to the list of notes", key: "l", run: () => { sidebarOpen.value = true; setTimeout(() => document.querySelector<HTMLElement>(".tree")?.focus()); } },
  { title: "Show or hide the side panel", key: "p", run: () => (panelOpen.value = !panelOpen.value) },
  { title: "Connect your assistant", key: "c", when: opens("connect"), run: () => (dialog.value = { kind: "connect" }) },
  { title: "Switch between light and dark", key: "d", run: () => (theme.value = isDark.value ? "light" : "dark") },
  { title: "Follow the system's light or dark", run: () => (theme.value = "system") },
  { title: "Hide or show Markdown's marks while writing", run: () => (hideMarks.value = !hideMarks.value) },
  { title: "Turn single-letter keys on or off", run: () => { letterKeys.value = !letterKeys.value; tell(letterKeys.value ? "Single letters are commands where nothing can be typed." : "Single letters are no commands any more."); } },
  { title: "Change your name", run: () => (dialog.value = { kind: "name" }) },
  { title: "Keyboard help", key: "?", run: () => (dialog.value = { kind: "help" }) },
];

/** A note is printed as it reads: the editor holds no more than the lines in view. */
export function printNote(): void {
  noteActions.value?.setMode("read");
  void import("./preview.ts").then((preview) => preview.printNote());
}

function undo(): void {
  const run = undoing.value;
  undoing.value = null;
  run?.();
}

const mac = /Mac|iPhone|iPad/.test(navigator.platform);

export function shownKey(key: string): string {
  const words: Record<string, string> = { Mod: mac ? "⌘" : "Ctrl", Shift: mac ? "⇧" : "Shift", Alt: mac ? "⌥" : "Alt", Enter: "Enter", Tab: "Tab", Esc: "Esc" };
  return key.split("+").map((part) => words[part] ?? part.toUpperCase()).join(mac ? "" : " ");
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Whether a letter can only be meant as a command: beside a text it may be one that went astray. */
function isLetterMeant(target: EventTarget | null): boolean {
  if (!letterKeys.peek()) return false;
  return !noteActions.peek()?.canType() || (target instanceof Element && target.closest(".sidebar") !== null);
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
    if (mod && event.key === "p" && inNote() && !dialog.value) {
      event.preventDefault();
      printNote();
      return;
    }
    if (mod || event.altKey) return;
    if (dialog.value) {
      if (keepKey(event.key)) event.preventDefault();
      return;
    }
    const isLetter = event.key.length === 1;
    if (isWriting(event.target) || (isLetter && !isLetterMeant(event.target))) return;
    const pressed = event.shiftKey && !isLetter ? `Shift+${event.key}` : event.key;
    const command = commands.find((each) => each.key === pressed && (each.when?.() ?? true));
    if (command) {
      event.preventDefault();
      command.run();
    }
  });
}

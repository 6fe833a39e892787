// What the whole page shares: where we are, the list of notes, dialogs, messages, the look.

import { batch, computed, effect, signal } from "@preact/signals";

import { type Answers, get, maybe } from "./api.ts";
import { keptAs } from "./place.ts";
import { Resolver } from "./text/paths.ts";

export type Place =
  | { readonly view: "home" | "review" | "suggestions" | "approvals" | "graph" | "trash" }
  | { readonly view: "set"; readonly number: number; readonly change: string }
  | { readonly view: "tags"; readonly tag: string }
  | { readonly view: "agent"; readonly id: string }
  | { readonly view: "history"; readonly path: string }
  | { readonly view: "search"; readonly query: string }
  | { readonly view: "note"; readonly path: string; readonly heading: string };

export type Dialog =
  | null
  | { readonly kind: "palette"; readonly typed: string }
  | { readonly kind: "help" | "connect" | "name" }
  | { readonly kind: "create"; readonly path: string; readonly template: string }
  | { readonly kind: "comment"; readonly path: string; readonly passage: string }
  | { readonly kind: "rename" | "delete" | "move-file" | "create-folder" | "rename-folder"; readonly path: string };

export interface Note {
  readonly path: string;
  /** Lower-cased once, for finding. */
  readonly key: string;
  /** Kept up to date without telling: a note that somebody writes in changes all the time. */
  modified: number;
  readonly pending: number;
}

export interface Message {
  readonly id: number;
  readonly text: string;
  readonly kind: "info" | "error";
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

const RECENT_MAX = 12;
const NARROW = 820;
const MESSAGE_MS = 8000;
export const UNDO = "Undo";

export const place = signal<Place>(placeOf(location.hash));
export const dialog = signal<Dialog>(null);
export const notes = signal<readonly Note[] | null>(null);
/** Folders that hold no note yet. */
export const emptyFolders = signal<readonly string[]>([]);
export const messages = signal<readonly Message[]>([]);
export const recent = signal<readonly string[]>(stored("recent", []));
export const sidebarOpen = signal(false);
export const panelOpen = signal<boolean>(innerWidth > NARROW && stored("panel", true));
export const theme = signal<"system" | "light" | "dark">(stored("theme", "system"));
/** Whether a single newline is shown as one. */
export const keepBreaks = signal<boolean>(stored("breaks", true));
/** Whether the editor hides Markdown's marks where the cursor is not. */
export const hideMarks = signal<boolean>(stored("hide-marks", true));
/** Whether single letters are commands where nothing can be typed. */
export const letterKeys = signal<boolean>(stored("letter-keys", true));
export const approvals = signal<number | null>(null);
/** What a screen reader is told of what happens elsewhere. */
export const announced = signal("");
export const readOnly = signal(false);
/** What the visitor's access token does not open. */
export const closed = signal<ReadonlySet<string>>(new Set());
/** What the panel beside a note shows. */
/** Whether somebody wants to write to an agent, and its prompt does not stand there yet. */
export const promptWanted = signal(false);
export const panelTab = signal<"suggestions" | "links" | "outline" | "graph" | "agent">("suggestions");
/** Takes the last thing back that can be, also when its message has gone. */
export const undoing = signal<(() => void) | null>(null);
export const vaultName = signal("Commonplace");

export const byPath = computed(() => new Map((notes.value ?? []).map((note) => [note.path, note])));
/** Counts up when notes come or go. */
const moved = signal(0);
export const resolver = computed(() => {
  void moved.value;
  return new Resolver((notes.peek() ?? []).map((note) => note.path));
});
export const pendingTotal = computed(() => (notes.value ?? []).reduce((sum, note) => sum + note.pending, 0));

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(darkSystem.matches);
darkSystem.addEventListener("change", () => (systemIsDark.value = darkSystem.matches));
export const isDark = computed(() => (theme.value === "system" ? systemIsDark.value : theme.value === "dark"));
effect(() => {
  document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light";
  store("theme", theme.value);
});
effect(() => {
  if (innerWidth > NARROW) store("panel", panelOpen.value);
});
effect(() => store("recent", recent.value));
effect(() => store("breaks", keepBreaks.value));
effect(() => store("hide-marks", hideMarks.value));
effect(() => store("letter-keys", letterKeys.value));

addEventListener("hashchange", () => {
  batch(() => {
    place.value = placeOf(location.hash);
    sidebarOpen.value = false;
    dialog.value = null;
  });
});

export function placeOf(hash: string): Place {
  const [view = "", rest = "", heading = ""] = hash.replace(/^#\/?/, "").split("!").map(decoded);
  if (view === "note" && rest) return { view, path: rest, heading };
  if (view === "search") return { view, query: rest };
  if (view === "tags") return { view, tag: rest };
  if (view === "agent") return { view, id: rest };
  if (view === "history") return { view, path: rest };
  if (view === "set") return { view, number: Number(rest) || 0, change: heading };
  if (view === "review" && rest === "all") return { view: "suggestions" };
  if (view === "review" || view === "approvals" || view === "graph" || view === "trash") return { view };
  return { view: "home" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function encoded(part: string): string {
  return encodeURIComponent(part).replaceAll("%2F", "/").replaceAll("!", "%21");
}

export function hrefOf(path: string, heading = ""): string {
  return `#note!${encoded(path)}${heading ? `!${encoded(heading)}` : ""}`;
}

export function open(path: string, heading = ""): void {
  location.hash = hrefOf(path, heading);
}

/** The note whose text is to have the cursor as soon as it is open, and where in it. */
export const wantedText = signal<{ readonly path: string; readonly at: "start" | "end" } | null>(null);

/** Open a note to write in it. */
export function openText(path: string, heading = "", at: "start" | "end" = "start"): void {
  wantedText.value = { path, at };
  open(path, heading);
}

const keys = new Map<string, string>();
let moves = 0;

/** Tells notes apart for as long as they are open: one keeps its key when it gets another name. */
export function keyOf(path: string): string {
  return keys.get(path) ?? path;
}

/** Stay with the open note when it gets another name, whoever gives it; nothing is opened anew. */
export function followMove(from: string, to: string): void {
  recent.value = recent.peek().map((path) => (path === from ? to : path));
  const now = place.peek();
  if (now.view !== "note" || now.path !== from) return;
  keys.set(to, keyOf(from));
  keys.set(from, `${from} ${++moves}`);
  history.replaceState(null, "", hrefOf(to, now.heading));
  place.value = { ...now, path: to };
}

export function openSearch(query: string): void {
  location.hash = `#search!${encoded(query)}`;
}

export function openTag(tag: string): void {
  location.hash = `#tags!${encoded(tag)}`;
}

export function remember(path: string): void {
  recent.value = [path, ...recent.peek().filter((other) => other !== path)].slice(0, RECENT_MAX);
}

let told = 0;
export function tell(text: string, action?: Message["action"], kind: Message["kind"] = "info"): void {
  const id = ++told;
  if (action?.label === UNDO) undoing.value = action.run;
  messages.value = [...messages.peek().slice(-2), { id, text, kind, action }];
  setTimeout(() => hush(id), MESSAGE_MS);
}

export function hush(id: number): void {
  messages.value = messages.peek().filter((message) => message.id !== id);
}

export function complain(error: unknown): void {
  tell(error instanceof Error ? error.message : "Something went wrong.", undefined, "error");
}

/** Which list of notes this is. */
export let version = "";

export async function loadNotes(): Promise<void> {
  const tree = await maybe(get("tree"));
  version = tree?.version ?? "";
  batch(() => {
    notes.value = tree ? tree.notes.map(noteOf).sort(byName) : (notes.peek() ?? []);
    moved.value++;
  });
  void maybe(get("folders/empty")).then((found) => found && (emptyFolders.value = found.folders));
}

function noteOf([path, modified, pending]: Answers["tree"]["notes"][number]): Note {
  return { path, key: path.toLowerCase().replace(/\.md$/, ""), modified, pending };
}

const collator = new Intl.Collator(undefined, { numeric: true });
function byName(one: Note, other: Note): number {
  return collator.compare(one.path, other.path);
}

/** Take in that some notes came, changed or went, without loading the whole list again. */
export async function refreshNotes(changed: string[], gone: string[]): Promise<void> {
  const counts = await Promise.all(changed.map((path) => maybe(get("suggestions", { path, limit: 1 }))));
  const known = new Map(byPath.peek());
  let [same, counted] = [true, true];
  for (const path of gone) if (known.delete(path)) same = false;
  changed.forEach((path, at) => {
    const before = known.get(path);
    const pending = counts[at]?.total ?? before?.pending ?? 0;
    same &&= before !== undefined;
    if (before?.pending === pending) before.modified = Date.now();
    else {
      counted = false;
      known.set(path, noteOf([path, Date.now(), pending]));
    }
  });
  if (same && counted) return;
  batch(() => {
    notes.value = same ? [...known.values()] : [...known.values()].sort(byName);
    if (!same) moved.value++;
  });
}

function stored<Value>(name: string, otherwise: Value): Value {
  try {
    return (JSON.parse(localStorage.getItem(keptAs(name)) ?? "null") as Value | null) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function store(name: string, value: unknown): void {
  localStorage.setItem(keptAs(name), JSON.stringify(value));
}

// Completion while writing: `[[` notes, `[[Note#` headings, `[[Note#^` blocks, `#` tags.

import { acceptCompletion, type Completion, type CompletionContext, type CompletionResult, type CompletionSource, completionStatus, startCompletion } from "@codemirror/autocomplete";
import { insertNewlineAndIndent } from "@codemirror/commands";
import { type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";

import { get, maybe } from "../api.ts";
import { areKnown, completeName, otherNames } from "../names.ts";
import { find } from "../text/fuzzy.ts";
import { headings, plainHeading } from "../text/headings.ts";
import { folderOf, nameOf } from "../text/paths.ts";
import { inCode } from "./format.ts";
import type { Linking } from "./wikilinks.ts";

const OPTIONS_MAX = 50;
const TAGS_KEPT_MS = 10_000;
const SEEN_MS = 80; // before that, what is offered is not taken
const BLOCK = /(?:^|\s)\^([A-Za-z0-9-]+)[ \t]*$/;

export function completions(linking: Linking): CompletionSource[] {
  return [notes(linking), places(linking), tags];
}

/** Where somebody has taken what was offered, while it was looked up again. */
const taking = new WeakSet<EditorView>();

/** Let Enter take what is offered also while that is looked up again, and is grey: it would break the line. */
export function patientEnter(): Extension {
  const take = (view: EditorView) => {
    const waits = completionStatus(view.state) === "pending" && document.querySelector(".cm-tooltip-autocomplete") !== null;
    if (waits) taking.add(view);
    return waits;
  };
  const listener = EditorView.updateListener.of(({ view, state, docChanged, selectionSet }) => {
    const status = completionStatus(state);
    if (status === "pending" && !docChanged && !selectionSet) return;
    if (!taking.delete(view) || docChanged || selectionSet) return;
    setTimeout(() => acceptCompletion(view) || insertNewlineAndIndent(view), status ? SEEN_MS : 0);
  });
  return [Prec.highest(keymap.of([{ key: "Enter", run: take }])), listener];
}

/** Close a link where it is not, and go on writing behind it. */
function applyLink(text: string) {
  return (view: EditorView, _: Completion, from: number, to: number): void => {
    const closed = view.state.sliceDoc(to, to + 2) === "]]";
    const insert = `${text}]]`;
    view.dispatch({ changes: { from, to: closed ? to + 2 : to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.complete", scrollIntoView: true });
  };
}

function notes(linking: Linking): CompletionSource {
  return (context) => {
    const typed = context.matchBefore(/\[\[[^[\]\n|#^]*$/);
    if (!typed) return null;
    void askAgain(context, typed);
    const options = completeName(typed.text.slice(2)).map(({ path, alias }): Completion => {
      const short = linking.shortest(path);
      return { label: alias || nameOf(path), detail: alias ? nameOf(path) : folderOf(path), apply: applyLink(alias ? `${short}|${alias}` : short) };
    });
    return { from: typed.from + 2, options, filter: false };
  };
}

/** Complete once more when the server tells other names, if nothing was typed meanwhile. */
async function askAgain({ pos, view }: CompletionContext, { from, text }: { from: number; text: string }): Promise<void> {
  if (areKnown(text.slice(2))) return;
  const found = await otherNames(text.slice(2));
  if (found.length && view?.state.selection.main.head === pos && view.state.sliceDoc(from, pos) === text) startCompletion(view);
}

function places(linking: Linking): CompletionSource {
  return async (context): Promise<CompletionResult | null> => {
    const typed = context.matchBefore(/\[\[[^[\]\n|#^]*#?\^?[^[\]\n|^]*$/);
    const [, note, sign, wanted] = /^\[\[([^#^]*)(#\^|#|\^)(.*)$/.exec(typed?.text ?? "") ?? [];
    if (!typed || note === undefined || sign === undefined || wanted === undefined) return null;
    const text = await textOf(linking, note, context);
    if (text === null) return null;
    const found = sign === "#" ? headings(text).map(({ text: heading }) => heading) : blocks(text);
    const from = typed.from + 2 + note.length;
    const options = ranked(wanted, found).map((name): Completion => {
      const link = sign === "#" ? `#${spelled(name)}` : `#^${name}`;
      return { label: sign === "#" ? name : `^${name}`, apply: applyLink(link) };
    });
    return { from, options, filter: false };
  };
}

async function textOf(linking: Linking, note: string, context: CompletionContext): Promise<string | null> {
  if (!note.trim()) return context.state.doc.toString();
  const path = linking.resolve(note);
  return path ? ((await maybe(get("note", { path })))?.text ?? null) : null;
}

function blocks(text: string): string[] {
  return text.split("\n").flatMap((line) => BLOCK.exec(line)?.[1] ?? []);
}

/** Signs that end a link cannot stand in one; headings are found without them. */
function spelled(heading: string): string {
  return heading.replace(/[#^[\]|]/g, " ").replace(/\s+/g, " ").trim();
}

function ranked(wanted: string, names: readonly string[]): string[] {
  if (!wanted.trim()) return names.slice(0, OPTIONS_MAX);
  return find(wanted, names, (name) => plainHeading(name), OPTIONS_MAX).map(({ item }) => item);
}

let known: { readonly until: number; readonly tags: Promise<readonly [string, number][]> } | null = null;

async function tags(context: CompletionContext): Promise<CompletionResult | null> {
  const typed = context.matchBefore(/(?:^|[\s(])#[\p{L}\p{N}_/-]+$/u);
  if (!typed || inCode(context.state, context.pos)) return null;
  const at = typed.text.indexOf("#") + 1;
  if (!known || known.until < Date.now()) known = { until: Date.now() + TAGS_KEPT_MS, tags: maybe(get("tags")).then((found) => found?.tags ?? []) };
  const wanted = typed.text.slice(at);
  const found = find(wanted, await known.tags, ([tag]) => tag.toLowerCase(), OPTIONS_MAX).filter(({ item: [tag] }) => tag !== wanted);
  return { from: typed.from + at, options: found.map(({ item: [tag, count] }): Completion => ({ label: tag, detail: String(count) })), filter: false };
}

// Keeps hidden delimiters whole, makes typing suggest when that is wanted, copies what one sees.

import { Annotation, type EditorState, type Extension, Facet, EditorState as State, type Transaction, type TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { ySyncAnnotation } from "y-codemirror.next";

import { joined, type Mark, type Marked, within, writeMetadata } from "../critic/index.ts";
import { shownName } from "../person.ts";
import { type Edit, suggesting } from "../text/suggesting.ts";
import { type Whole, whole } from "../text/whole.ts";
import { reading } from "./marks.ts";

export const suggestingMode = Facet.define<boolean, boolean>({ combine: (values) => values.some(Boolean) });
export const onRefused = Facet.define<(why: string) => void>();
/** Marks an edit that is meant as it is. */
export const verbatim = Annotation.define<boolean>();

const NOT_HERE = "This cannot be suggested here: it is in a code block, in another's suggestion, or would read as markup. Switch to writing mode.";
const SAME_MINUTE = 60;

export function guard(): Extension {
  return [State.transactionFilter.of(guarded), EditorView.clipboardOutputFilter.of(copied)];
}

function guarded(transaction: Transaction): TransactionSpec | readonly TransactionSpec[] {
  const remote = transaction.annotation(ySyncAnnotation) !== undefined || transaction.annotation(verbatim);
  if (!transaction.docChanged || remote) return transaction;
  return transaction.startState.facet(suggestingMode) ? suggested(transaction) : kept(transaction);
}

/** Tell the edits of a transaction, none of which cuts a character in half. */
function editsOf({ changes, startState: { doc } }: Transaction): Whole[] {
  const edits: Whole[] = [];
  const at = (from: number, to: number) => doc.sliceString(from, to);
  changes.iterChanges((from, to, _from, _to, text) => edits.push(whole({ from, to, insert: text.toString() }, at)));
  return edits;
}

function suggested(transaction: Transaction): TransactionSpec | readonly TransactionSpec[] {
  const { marked } = transaction.startState.field(reading);
  const [edit, ...more] = editsOf(transaction);
  const seconds = Math.floor(Date.now() / 1000 / SAME_MINUTE) * SAME_MINUTE;
  const author = { name: shownName(), meta: writeMetadata(shownName(), seconds) };
  const found = edit && !more.length && suggesting(marked, edit, author, transaction.isUserEvent("delete.forward"));
  if (!found) {
    transaction.startState.facet(onRefused).forEach((tell) => tell(NOT_HERE));
    return [];
  }
  return { changes: found.edits, selection: { anchor: found.caret }, scrollIntoView: true, userEvent: "input.suggest" };
}

/** Cut delimiters out of a deletion, unless it takes the whole mark. */
function kept(transaction: Transaction): TransactionSpec | readonly TransactionSpec[] {
  const { marked } = transaction.startState.field(reading);
  const edits = editsOf(transaction);
  const torn = edits.some((edit) => edit.widened || protectedIn(marked, edit).length > 0);
  if (!torn) return transaction;
  const changes = edits.flatMap((edit) => spared(edit, protectedIn(marked, edit)));
  const first = edits[0]!;
  return { changes, selection: { anchor: first.from + first.insert.length }, scrollIntoView: true, userEvent: "delete" };
}

function protectedIn(marked: Marked, { from, to }: Edit): [number, number][] {
  if (from === to) return [];
  return [...within(marked.suggested, from, to), ...within(marked.comments, from, to), ...within(marked.highlights, from, to)]
    .filter((mark) => !(from <= mark.start && mark.end <= to))
    .flatMap(delimitersOf)
    .filter(([start, end]) => start < to && from < end)
    .sort((one, other) => one[0] - other[0]);
}

export function delimitersOf(mark: Mark): [number, number][] {
  const divider: [number, number][] = mark.kind === "~" ? [[mark.middle, mark.middle + 2]] : [];
  return [[mark.start, mark.body], ...divider, [mark.tail, mark.end]];
}

function spared({ from, to, insert }: Edit, protectedRanges: [number, number][]): Edit[] {
  const edits: Edit[] = [];
  let at = from;
  for (const [start, end] of protectedRanges) {
    if (at < start) edits.push({ from: at, to: start, insert: "" });
    at = Math.max(at, end);
  }
  if (at < to) edits.push({ from: at, to, insert: "" });
  if (insert) edits.unshift({ from, to: from, insert });
  return edits;
}

/** Copying copies what would be there if everything were accepted. */
function copied(text: string, state: EditorState): string {
  const { marked } = state.field(reading);
  const ranges = state.selection.ranges.filter((range) => !range.empty);
  if (!ranges.length) return text;
  return ranges.map((range) => joined(marked, "new", range.from, range.to)).join("\n");
}

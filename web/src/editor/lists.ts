// Lists, quotes and tables while writing: Enter goes on with them, Tab and Shift-Tab indent.

import { type ChangeSpec, type EditorState, type Line } from "@codemirror/state";
import { type EditorView, type KeyBinding } from "@codemirror/view";

import { inCode, inCodeBlock } from "./format.ts";
import { suggestingMode } from "./guard.ts";

const ITEM = /^([ \t]*(?:>[ \t]*)*)(?:([-*+])|(\d{1,9})([.)]))([ \t]+)(\[[ xX]\][ \t]+)?/;
const QUOTE = /^[ \t]*(?:>[ \t]*)+/;
const ROW = /^[ \t]*\|.*\|[ \t]*$/;
const RULE = /^[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/;
const TAB_SIZE = 4;
const LOOK_BACK_MAX = 200;

export const listKeys: readonly KeyBinding[] = [
  { key: "Enter", run: (view) => continueTable(view) || continueList(view) },
  { key: "Tab", run: (view) => indent(view, 1) },
  { key: "Shift-Tab", run: (view) => indent(view, -1) },
];

/** Enter in a list or quote begins the next item; in an empty one it ends the list. */
function continueList({ state, dispatch }: EditorView): boolean {
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  const item = ITEM.exec(line.text);
  const prefix = item?.[0] ?? QUOTE.exec(line.text)?.[0];
  if (!empty || !prefix || head - line.from < prefix.length || state.readOnly || state.facet(suggestingMode) || inCode(state, head)) return false;
  if (line.text.trim() === prefix.trim()) {
    dispatch(state.update({ changes: { from: line.from, to: line.to }, userEvent: "delete" }));
    return true;
  }
  const number = item?.[3] ? String(Number(item[3]) + 1) + item[4] : item?.[2];
  const next = item ? `${item[1]}${number}${item[5]}${item[6] ? "[ ] " : ""}` : prefix;
  dispatch(state.update({ changes: { from: head, insert: `\n${next}` }, selection: { anchor: head + next.length + 1 }, scrollIntoView: true, userEvent: "input" }));
  return true;
}

/** Enter in a row begins the next one; behind the first line of a table it draws its rule as well. */
function continueTable({ state, dispatch }: EditorView): boolean {
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  if (!empty || !ROW.test(line.text) || state.readOnly || state.facet(suggestingMode) || inCode(state, head)) return false;
  const above = line.number > 1 ? state.doc.line(line.number - 1) : null;
  const below = line.number < state.doc.lines ? state.doc.line(line.number + 1) : null;
  const cells = line.text.replaceAll("\\|", "").split("|").length - 2;
  const row = `|${"  |".repeat(cells)}`;
  const isFirst = !above || !ROW.test(above.text);
  if (isFirst && (!below || !RULE.test(below.text))) {
    if (cells < 2 || (below && ROW.test(below.text))) return false;
    return put(state, dispatch, line, `\n|${" --- |".repeat(cells)}\n${row}`, row);
  }
  if (!/[^|\s]/.test(line.text) && !isFirst) {
    dispatch(state.update({ changes: { from: line.from, to: line.to }, userEvent: "delete" }));
    return true;
  }
  return put(state, dispatch, isFirst && below ? below : line, `\n${row}`, row);
}

function put(state: EditorState, dispatch: EditorView["dispatch"], line: Line, insert: string, row: string): boolean {
  const anchor = line.to + insert.length - row.length + 2;
  dispatch(state.update({ changes: { from: line.to, insert }, selection: { anchor }, scrollIntoView: true, userEvent: "input" }));
  return true;
}

/** Move the items of a list that are selected, and what is beneath them, a level in or out. */
function indent({ state, dispatch }: EditorView, step: 1 | -1): boolean {
  if (state.readOnly) return false;
  const { from, to } = state.selection.main;
  const first = state.doc.lineAt(from);
  if (inCodeBlock(state, first.to)) return indentCode(state, dispatch, step);
  if (!ITEM.test(first.text) || inCode(state, first.to)) return false;
  const shift = (step > 0 ? columnBelow(state, first) : columnAbove(state, first)) - columnOf(first.text);
  // The first of a list has nothing to go beneath; the key is still meant for the list.
  if (!shift) return true;
  const changes: ChangeSpec[] = [];
  for (const line of linesFrom(state, first, to)) changes.push(shifted(line, shift));
  dispatch(state.update({ changes, userEvent: "input.indent", scrollIntoView: true }));
  return true;
}

function indentCode(state: EditorState, dispatch: EditorView["dispatch"], step: 1 | -1): boolean {
  const { from, to } = state.selection.main;
  const lines: Line[] = [];
  for (let at = state.doc.lineAt(from); ; at = state.doc.line(at.number + 1)) {
    lines.push(at);
    if (at.to >= to) break;
  }
  const changes = step > 0 && from === to ? [{ from, insert: "  " }] : lines.map((line) => shifted(line, 2 * step));
  dispatch(state.update({ changes, ...(step > 0 && from === to ? { selection: { anchor: from + 2 } } : {}), userEvent: "input.indent" }));
  return true;
}

function columnOf(text: string): number {
  let column = 0;
  for (const sign of text) {
    if (sign === " ") column++;
    else if (sign === "\t") column += TAB_SIZE - (column % TAB_SIZE);
    else break;
  }
  return column;
}

function* itemsAbove(state: EditorState, line: Line): Generator<Line> {
  for (let number = line.number - 1; number > 0 && number > line.number - LOOK_BACK_MAX; number--) {
    const above = state.doc.line(number);
    if (ITEM.test(above.text)) yield above;
    else if (!above.text.trim() || !/^\s/.test(above.text)) return;
  }
}

/** Where the text of the item before begins: what stands there is beneath it. */
function columnBelow(state: EditorState, line: Line): number {
  const column = columnOf(line.text);
  for (const above of itemsAbove(state, line)) {
    if (columnOf(above.text) > column) continue;
    if (columnOf(above.text) < column) break;
    const item = ITEM.exec(above.text)!;
    const sign = item[2]?.length ?? item[3]!.length + 1;
    return /^\t/.test(line.text) || /\t/.test(item[1]!) ? column + TAB_SIZE : column + sign + Math.min(item[5]!.length, 4);
  }
  return column;
}

function columnAbove(state: EditorState, line: Line): number {
  const column = columnOf(line.text);
  for (const above of itemsAbove(state, line)) if (columnOf(above.text) < column) return columnOf(above.text);
  return 0;
}

/** The lines of a selection, and those beneath its last item. */
function linesFrom(state: EditorState, first: Line, to: number): Line[] {
  const lines = [first];
  const column = columnOf(first.text);
  for (let number = first.number + 1; number <= state.doc.lines; number++) {
    const line = state.doc.line(number);
    const selected = line.from < to;
    if (!selected && (!line.text.trim() || columnOf(line.text) <= column)) break;
    if (line.text.trim()) lines.push(line);
  }
  return lines;
}

function shifted(line: Line, shift: number): ChangeSpec {
  const blanks = /^[ \t]*/.exec(line.text)![0];
  if (shift > 0) return { from: line.from, insert: blanks.startsWith("\t") ? "\t" : " ".repeat(shift) };
  let [cut, left] = [0, -shift];
  while (left > 0 && cut < blanks.length) left -= blanks[cut++] === "\t" ? TAB_SIZE : 1;
  return { from: line.from, to: line.from + cut };
}

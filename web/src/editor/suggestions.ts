// Suggestions as one sees them: delimiters hidden, words compared, a card to decide on each.

import { type EditorState, type Extension, type Range, RangeSet, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, hoverTooltip, keymap, showTooltip, type Tooltip, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";

import { newSide, oldSide, sides, type Suggestion, within } from "../critic/index.ts";
import { colourOf } from "../person.ts";
import { age } from "../text/age.ts";
import { wordDiff } from "../text/words.ts";
import { PERHAPS_REJECTED } from "../api.ts";
import { credited, creditOf } from "./credits.ts";
import { delimitersOf } from "./guard.ts";
import { neighbour, reading, suggestionAt } from "./marks.ts";

export type Decision = "accept" | "reject";
export type Decide = (decision: Decision, suggestion: Suggestion, state: EditorState) => void;

const hidden = Decoration.replace({});
const WORDS_MAX = 4000;

export function showSuggestions(decide: Decide): Extension {
  return [decorations, card(decide), hoverCard(decide), keymap.of(keys(decide))];
}

const decorations = ViewPlugin.fromClass(
  class {
    shown: DecorationSet;
    hidden: DecorationSet;
    constructor(view: EditorView) {
      [this.shown, this.hidden] = decorate(view);
    }
    update(update: ViewUpdate) {
      const read = update.startState.field(reading) !== update.state.field(reading);
      if (read || update.viewportChanged || update.selectionSet) [this.shown, this.hidden] = decorate(update.view);
    }
  },
  {
    provide: (plugin) => [
      EditorView.decorations.of((view) => view.plugin(plugin)?.shown ?? Decoration.none),
      EditorView.decorations.of((view) => view.plugin(plugin)?.hidden ?? Decoration.none),
      EditorView.atomicRanges.of((view) => view.plugin(plugin)?.hidden ?? RangeSet.empty),
    ],
  },
);

function decorate(view: EditorView): [DecorationSet, DecorationSet] {
  const found = view.state.field(reading);
  const { from, to } = view.viewport;
  const shown: Range<Decoration>[] = [];
  const cut: Range<Decoration>[] = [];
  const hide = (start: number, end: number) => {
    const line = view.state.doc.lineAt(start);
    if (start < end && end <= line.to) cut.push(hidden.range(start, end));
  };
  const active = suggestionAt(found, view.state.selection.main.head);
  for (const one of visible(found.pending, from, to)) {
    shown.push(...sidesOf(view.state.doc, one, one === active));
    for (const mark of one.marks) delimitersOf(mark).forEach(([start, end]) => hide(start, end));
  }
  for (const mark of within(found.marked.comments, from, to)) {
    const text = view.state.doc.sliceString(mark.body, mark.tail);
    const chip = Decoration.replace({ widget: new Remark(text, mark.meta?.author ?? "") });
    if (!text.includes("\n")) cut.push(chip.range(mark.start, mark.end));
  }
  for (const mark of within(found.marked.highlights, from, to)) {
    if (mark.body < mark.tail) shown.push(Decoration.mark({ class: "cm-lit" }).range(mark.body, mark.tail));
    hide(mark.start, mark.body);
    hide(mark.tail, mark.end);
  }
  return [Decoration.set(shown, true), Decoration.set(cut, true)];
}

function visible(pending: readonly Suggestion[], from: number, to: number): Suggestion[] {
  let low = 0;
  let high = pending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pending[middle]!.end < from) low = middle + 1;
    else high = middle;
  }
  const found: Suggestion[] = [];
  for (let one = pending[low]; one && one.start <= to; one = pending[++low]) found.push(one);
  return found;
}

// Asking the document for its few visible letters costs nothing; all of it as one string does.
function sidesOf(doc: Text, one: Suggestion, active: boolean): Range<Decoration>[] {
  const found: Range<Decoration>[] = [];
  const also = active ? " cm-active" : "";
  const add = (name: string, start: number, end: number) => {
    if (start < end) found.push(Decoration.mark({ class: name }).range(start, end));
  };
  for (const mark of one.marks) {
    add(`cm-del${also}`, ...oldSide(mark));
    add(`cm-ins${also}`, ...newSide(mark));
  }
  if (one.kind === "replace" && one.end - one.start < WORDS_MAX) changedWords(doc, one, add);
  return found;
}

function changedWords(doc: Text, one: Suggestion, add: (name: string, start: number, end: number) => void): void {
  const old = one.marks.map(oldSide).find(([start, end]) => start < end);
  const added = one.marks.map(newSide).find(([start, end]) => start < end);
  if (!old || !added) return;
  let [left, right] = [old[0], added[0]];
  const stretches = wordDiff(doc.sliceString(...old), doc.sliceString(...added));
  for (const { kind, text } of stretches) {
    if (kind === "old") add("cm-del-word", left, left + text.length);
    if (kind === "new") add("cm-ins-word", right, right + text.length);
    if (kind !== "new") left += text.length;
    if (kind !== "old") right += text.length;
  }
}

class Remark extends WidgetType {
  constructor(private readonly text: string, private readonly author: string) {
    super();
  }
  override eq(other: Remark): boolean {
    return other.text === this.text && other.author === this.author;
  }
  toDOM(): HTMLElement {
    const chip = document.createElement("span");
    chip.className = "cm-remark";
    chip.textContent = this.text.trim();
    chip.title = this.author ? `Remark by ${this.author}` : "Remark";
    return chip;
  }
}

/** Whether the card at the caret was sent away by Escape. */
const dismiss = StateEffect.define<null>();
const dismissed = StateField.define<number>({
  create: () => -1,
  update(value, transaction) {
    if (transaction.effects.some((effect) => effect.is(dismiss))) return transaction.state.selection.main.head;
    return transaction.selection || transaction.docChanged ? -1 : value;
  },
});

/** Whether the caret was put where it is by going from one suggestion to the next. */
const arrive = StateEffect.define<null>();
const arrived = StateField.define<boolean>({
  create: () => false,
  update(value, transaction) {
    if (transaction.effects.some((effect) => effect.is(arrive))) return true;
    return value && !["input", "delete", "select"].some((event) => transaction.isUserEvent(event));
  },
});

function card(decide: Decide): Extension {
  const cards = StateField.define<Tooltip | null>({
    create: () => null,
    update(value, transaction) {
      const { state } = transaction;
      const head = state.selection.main.head;
      const one = state.selection.main.empty && state.field(dismissed) !== head ? suggestionAt(state.field(reading), head) : null;
      if (!one) return null;
      const same = value?.pos === one.end && !transaction.docChanged && !transaction.effects.some((effect) => effect.is(credited));
      return same ? value : tooltip(one, decide);
    },
    provide: (field) => showTooltip.from(field),
  });
  return [dismissed, arrived, cards];
}

function hoverCard(decide: Decide): Extension {
  return hoverTooltip(
    (view, place) => {
      const one = suggestionAt(view.state.field(reading), place);
      const caret = view.state.selection.main.head;
      return one && !(one.start <= caret && caret <= one.end) ? { ...tooltip(one, decide), pos: one.start, end: one.end } : null;
    },
    { hoverTime: 250 },
  );
}

function tooltip(one: Suggestion, decide: Decide): Tooltip {
  return { pos: one.end, above: false, arrow: false, create: (view) => ({ dom: cardOf(view, one, decide) }) };
}

function cardOf(view: EditorView, one: Suggestion, decide: Decide): HTMLElement {
  const dom = element("div", "suggestion-card");
  dom.setAttribute("role", "group");
  const { author: who, time, doubted } = creditOf(view.state, one);
  dom.setAttribute("aria-label", `Suggestion by ${who}`);
  const name = element("span", `who ${colourOf(who)}`, who);
  dom.append(name, element("span", "age", time === null ? "" : age(time)));
  if (doubted) dom.append(element("span", "doubt", PERHAPS_REJECTED));
  const choose = (decision: Decision) => () => {
    const now = suggestionAt(view.state.field(reading), one.start);
    if (now) decide(decision, now, view.state);
    view.focus();
  };
  if (!view.state.readOnly) dom.append(button("Accept", "accept", choose("accept")), button("Reject", "reject", choose("reject")));
  return dom;
}

function element(name: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function button(label: string, className: string, onClick: () => void): HTMLElement {
  const made = element("button", `small ${className}`, label) as HTMLButtonElement;
  made.type = "button";
  made.addEventListener("mousedown", (event) => event.preventDefault());
  made.addEventListener("click", onClick);
  return made;
}

export function goTo(view: EditorView, place: number): void {
  view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: "center" }) });
  view.focus();
}

export function goToNeighbour(view: EditorView, direction: 1 | -1): boolean {
  const found = neighbour(view.state.field(reading), view.state.selection.main.head, direction);
  if (found) {
    goTo(view, found.marks[0]!.body);
    view.dispatch({ effects: arrive.of(null) });
  }
  return found !== null;
}

export function decideHere(view: EditorView, decision: Decision, decide: Decide): boolean {
  if (view.state.readOnly) return false;
  const one = suggestionAt(view.state.field(reading), view.state.selection.main.head);
  if (one) decide(decision, one, view.state);
  // Somebody else decided it a moment ago: the key was meant for it, and must not delete a word.
  return one !== null || view.state.field(arrived);
}

function keys(decide: Decide) {
  return [
    { key: "Mod-Enter", run: (view: EditorView) => decideHere(view, "accept", decide) },
    { key: "F9", run: (view: EditorView) => decideHere(view, "accept", decide) },
    { key: "Shift-F9", run: (view: EditorView) => decideHere(view, "reject", decide) },
    { key: "F8", run: (view: EditorView) => goToNeighbour(view, 1) },
    { key: "Shift-F8", run: (view: EditorView) => goToNeighbour(view, -1) },
    { key: "Alt-ArrowDown", run: (view: EditorView) => goToNeighbour(view, 1) },
    { key: "Alt-ArrowUp", run: (view: EditorView) => goToNeighbour(view, -1) },
    { key: "Escape", run: escape },
  ];
}

function escape(view: EditorView): boolean {
  if (!suggestionAt(view.state.field(reading), view.state.selection.main.head)) return false;
  view.dispatch({ effects: dismiss.of(null) });
  return true;
}

export { sides };

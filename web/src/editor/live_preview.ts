// Hides Markdown's marks where the cursor is not. Marks of links and suggestions that a pending
// suggestion touches stay: nothing that waits for a decision may be out of sight.

import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension, Range } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";

import { within } from "../critic/index.ts";
import { hideMarks } from "../store.ts";
import { reading } from "./marks.ts";

const LINK = /\[\[([^[\]\n]{1,500})\]\]/g;
const HIGHLIGHT = /(?<!\{)==(?=\S)([^=\n]{1,500}?)(?<=\S)==(?!\})/g;
const hidden = Decoration.replace({});
const lit = Decoration.mark({ class: "cm-lit" });

export function livePreview(): Extension {
  return ViewPlugin.fromClass(LivePreview, { decorations: (value) => value.shown });
}

class LivePreview {
  shown: DecorationSet;
  private readonly stop: () => void;

  constructor(view: EditorView) {
    this.shown = hideMarks.peek() ? marksOf(view) : Decoration.none;
    let first = true;
    this.stop = hideMarks.subscribe(() => {
      if (!first) queueMicrotask(() => view.dispatch({}));
      first = false;
    });
  }

  update(update: ViewUpdate): void {
    this.shown = hideMarks.peek() ? marksOf(update.view) : Decoration.none;
  }

  destroy(): void {
    this.stop();
  }
}

type Add = (from: number, to: number, decoration?: Decoration) => void;

function marksOf(view: EditorView): DecorationSet {
  const { state } = view;
  const { marked } = state.field(reading);
  const found: Range<Decoration>[] = [];
  const add: Add = (from, to, decoration = hidden) => {
    if (from < to && !within(marked.suggested, from, to).length && !within(marked.comments, from, to).length) found.push(decoration.range(from, to));
  };
  // The cursor counts while somebody writes; a note that is only looked at has no marks at all.
  const near = (from: number, to: number) => view.hasFocus && state.selection.ranges.some((range) => range.from <= to && from <= range.to);
  for (const { from, to } of view.visibleRanges) {
    readTree(state, from, to, near, add);
    readSigns(state, from, to, near, add);
  }
  return Decoration.set(found, true);
}

type Near = (from: number, to: number) => boolean;

function readTree(state: EditorState, from: number, to: number, near: Near, add: Add): void {
  syntaxTree(state).iterate({
    from,
    to,
    enter: ({ name, from: start, to: end, node }) => {
      const line = () => state.doc.lineAt(start);
      switch (name) {
        case "Frontmatter":
        case "FencedCode":
        case "CodeBlock":
        case "HTMLBlock":
        case "Table":
          return false;
        case "HeaderMark":
          if (node.parent?.name.startsWith("ATX") && !near(line().from, line().to)) {
            const opens = start === node.parent.from;
            add(opens ? start : start - 1, opens ? Math.min(end + 1, line().to) : end);
          }
          break;
        case "EmphasisMark":
        case "StrikethroughMark":
        case "CodeMark":
          if (node.parent && !near(node.parent.from, node.parent.to)) add(start, end);
          break;
        case "Link":
          if (!near(start, end)) readLink(state, start, end, add);
          return true;
        case "QuoteMark":
          if (!near(line().from, line().to)) add(start, end, quote);
          break;
        case "ListMark":
          readItem(state, start, end, near, add);
          break;
        case "Escape":
          if (!near(start, end)) add(start, start + 1);
          break;
      }
      return undefined;
    },
  });
}

/** Of `[words](address)` the words stay; what has no address is no link. */
function readLink(state: EditorState, from: number, to: number, add: Add): void {
  const text = state.sliceDoc(from, to);
  const middle = text.lastIndexOf("](");
  if (!text.startsWith("[") || text.startsWith("[[") || middle < 2 || !text.endsWith(")")) return;
  add(from, from + 1);
  add(from + middle, to);
}

const TASK = /^[ \t]+\[([ xX])\](?=[ \t])/;

function readItem(state: EditorState, from: number, to: number, near: Near, add: Add): void {
  const line = state.doc.lineAt(from);
  const bullet = /[-*+]/.test(state.sliceDoc(from, to));
  const task = TASK.exec(state.sliceDoc(to, Math.min(line.to, to + 8)));
  const end = task ? to + task[0].length : to;
  if (near(from, end)) return;
  if (task) add(from, end, Decoration.replace({ widget: new Box(task[1] !== " ") }));
  else if (bullet) add(from, to, dot);
}

function readSigns(state: EditorState, from: number, to: number, near: Near, add: Add): void {
  const text = state.sliceDoc(from, to);
  const tree = syntaxTree(state);
  const inCode = (place: number) => /Code|Frontmatter/.test(tree.resolveInner(place, 1).name);
  for (const match of text.matchAll(LINK)) {
    const [start, end] = [from + match.index, from + match.index + match[0].length];
    if (near(start, end) || inCode(start) || text[match.index - 1] === "!") continue;
    const bar = match[1]!.indexOf("|");
    add(start, start + 2 + (bar < 0 ? 0 : bar + 1));
    add(end - 2, end);
  }
  for (const match of text.matchAll(HIGHLIGHT)) {
    const [start, end] = [from + match.index, from + match.index + match[0].length];
    if (inCode(start)) continue;
    add(start + 2, end - 2, lit);
    if (near(start, end)) continue;
    add(start, start + 2);
    add(end - 2, end);
  }
}

class Sign extends WidgetType {
  constructor(private readonly className: string, private readonly text: string) {
    super();
  }
  override eq(other: Sign): boolean {
    return other.className === this.className;
  }
  toDOM(): HTMLElement {
    const made = document.createElement("span");
    made.className = this.className;
    made.textContent = this.text;
    return made;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

const dot = Decoration.replace({ widget: new Sign("cm-dot", "•") });
const quote = Decoration.replace({ widget: new Sign("cm-quote-bar", " ") });

/** The box of a task: a click ticks it, as a change to the text. */
class Box extends WidgetType {
  constructor(private readonly done: boolean) {
    super();
  }
  override eq(other: Box): boolean {
    return other.done === this.done;
  }
  toDOM(view: EditorView): HTMLElement {
    const made = document.createElement("input");
    made.type = "checkbox";
    made.className = "cm-box";
    made.checked = this.done;
    made.setAttribute("aria-label", this.done ? "Done" : "To do");
    made.addEventListener("mousedown", (event) => {
      event.preventDefault();
      tick(view, made, this.done);
    });
    made.addEventListener("click", (event) => event.preventDefault());
    made.tabIndex = -1;
    return made;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

function tick(view: EditorView, box: HTMLElement, done: boolean): void {
  if (view.state.readOnly) return;
  const from = view.posAtDOM(box);
  const line = view.state.doc.lineAt(from);
  const place = from + view.state.sliceDoc(from, line.to).indexOf("[") + 1;
  view.dispatch({ changes: { from: place, to: place + 1, insert: done ? " " : "x" }, userEvent: "input" });
}

// Who wrote what, in the text itself: a colour in the margin for whoever wrote most of a line, a
// line under words of others, the name on hover, and below the text whose words the cursor is in.

import { Compartment, type EditorState, type Extension, RangeSet, RangeSetBuilder, RangeValue, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, type Panel, showPanel, ViewPlugin, type ViewUpdate } from "@codemirror/view";

import { type Answers, get, maybe } from "../api.ts";
import { noteActions } from "../commands.ts";
import { colourOf } from "../person.ts";
import { place as where } from "../store.ts";
import { adopt } from "../styles/adopt.ts";
import { age } from "../text/age.ts";
import { visible } from "../text/invisible.ts";

type Spans = Answers["history/blame"];
export type Author = Spans["authors"][string];

const REST_MS = 1500;
const LEGEND_MAX = 6;

class Whose extends RangeValue {
  constructor(readonly author: Author) {
    super();
  }
  override eq(other: Whose): boolean {
    return other.author === this.author;
  }
}

const told = StateEffect.define<RangeSet<Whose>>();
const known = StateField.define<RangeSet<Whose>>({
  create: () => RangeSet.empty,
  update(now, change) {
    const fresh = change.effects.find((each) => each.is(told));
    return fresh ? (fresh.value as RangeSet<Whose>) : now.map(change.changes);
  },
});
const place = new Compartment();

let shown = false;

/** Show or hide the authors of a note, and of every note that is opened from now on. */
export function switchAuthors(view: EditorView): void {
  const hidden = view.dom.offsetParent === null;
  if (hidden) noteActions.peek()?.setMode("write");
  shown = hidden || !shown;
  view.dispatch({ effects: place.reconfigure(shown ? parts : []) });
}

/** The place of authors in an editor: empty until they are asked for. */
export function authors(): Extension {
  return place.of(shown ? parts : []);
}

const pathHere = () => (where.peek().view === "note" ? (where.peek() as { path: string }).path : "");

/** Lengths count characters as people do; the editor counts halves of some. */
export function placed(text: string, { runs, authors: by }: Spans): RangeSet<Whose> | null {
  const ranges = new RangeSetBuilder<Whose>();
  let at = 0;
  for (const [length, revision] of runs) {
    const from = at;
    for (let left = length; left > 0; left--) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    const author = by[revision];
    if (author && at > from && at <= text.length) ranges.add(from, at, new Whose(author));
  }
  return at === text.length ? ranges.finish() : null;
}

/** Asks the server when the note is opened, and when nothing was typed for a moment. */
const asking = ViewPlugin.fromClass(
  class {
    timer = 0;
    constructor(readonly view: EditorView) {
      this.wait(0);
    }
    update(update: ViewUpdate) {
      if (update.docChanged) this.wait(REST_MS);
    }
    wait(milliseconds: number) {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.ask(), milliseconds);
    }
    async ask() {
      const turn = this.timer;
      const spans = await maybe(get("history/blame", { path: pathHere(), spans: 1 }));
      if (!spans || turn !== this.timer) return;
      const found = placed(this.view.state.doc.toString(), spans);
      if (found) this.view.dispatch({ effects: told.of(found) });
      else if (spans.runs.length) this.wait(REST_MS); // not saved yet
    }
    destroy() {
      clearTimeout(this.timer);
    }
  },
);

const painting = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = painted(view);
    }
    update(update: ViewUpdate) {
      const fresh = update.transactions.some((each) => each.effects.some((effect) => effect.is(told)));
      if (update.docChanged || update.viewportChanged || fresh) this.decorations = painted(update.view);
    }
  },
  { decorations: (value) => value.decorations },
);

function painted(view: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>();
  const { state } = view;
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      const spans = within(state, line.from, line.to);
      const most = mostOf(spans, line.length);
      if (most) found.add(line.from, line.from, Decoration.line({ class: `authored ${classOf(most)}` }));
      for (const { from: start, to: end, author } of spans) {
        const other = author.by !== most?.by ? `other-author ${classOf(author)}` : "author";
        found.add(start, end, Decoration.mark({ class: other, attributes: { title: said(author) } }));
      }
      at = line.to + 1;
    }
  }
  return found.finish();
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly author: Author;
}

function within(state: EditorState, from: number, to: number): Span[] {
  const spans: Span[] = [];
  state.field(known).between(from, to, (start, end, { author }) => {
    if (Math.min(end, to) > Math.max(start, from)) spans.push({ from: Math.max(start, from), to: Math.min(end, to), author });
  });
  return spans;
}

/** Who wrote most of a line; nobody where most is older than the history, or was typed just now. */
function mostOf(spans: readonly Span[], length: number): Author | null {
  const lengths = new Map<string, number>();
  for (const { from, to, author } of spans) lengths.set(author.by, (lengths.get(author.by) ?? 0) + to - from);
  const unknown = spans.reduce((left, { from, to }) => left - (to - from), length);
  const most = [...lengths].reduce((one, other) => (other[1] > one[1] ? other : one), ["", unknown]);
  return spans.find(({ author }) => author.by === most[0])?.author ?? null;
}

function classOf(author: Author): string {
  return author.kind === "program" ? "slate" : colourOf(author.by);
}

/** Who it is, since when, and who accepted it, in words. */
export function said(author: Author): string {
  const kind = author.kind === "assistant" ? " (assistant)" : "";
  const accepted = author.accepted?.length ? `, accepted by ${author.accepted.map(visible).join(" and ")}` : "";
  return `${visible(author.by)}${kind}, ${age(Date.parse(author.time))}${accepted}`;
}

function authorAt(state: EditorState, at: number): Author | null {
  const line = state.doc.lineAt(at);
  const spans = within(state, line.from, line.to);
  return (spans.find(({ from, to }) => from <= at && at < to) ?? spans.find(({ to }) => to === at))?.author ?? null;
}

/** Below the text: who wrote where the cursor is, and the colour of each author. */
function below(view: EditorView): Panel {
  const dom = document.createElement("div");
  dom.className = "authors-below";
  dom.setAttribute("role", "status");
  dom.setAttribute("aria-label", "Who wrote this");
  const show = (state: EditorState) => {
    const author = authorAt(state, state.selection.main.head);
    const legend = new Map<string, Author>();
    for (const cursor = state.field(known).iter(); cursor.value; cursor.next()) if (legend.size < LEGEND_MAX) legend.set(cursor.value.author.by, cursor.value.author);
    const here = document.createElement("span");
    here.textContent = author ? said(author) : state.field(known).size ? "Written before the history began, or just now" : "Nobody is known to have written here yet";
    const names = [...legend.values()].map((one) => {
      const name = document.createElement("span");
      name.className = `author-name ${classOf(one)}`;
      name.setAttribute("aria-hidden", "true");
      name.textContent = visible(one.by);
      return name;
    });
    dom.replaceChildren(here, ...names);
  };
  show(view.state);
  return { dom, update: (update) => { if (update.selectionSet || update.docChanged || update.transactions.some((each) => each.effects.length)) show(update.state); } };
}

const parts: Extension = [known, asking, painting, showPanel.of(below), EditorView.editorAttributes.of({ class: "with-authors" })];

adopt(`
.with-authors .authored { box-shadow: inset 3px 0 0 var(--bar); } .with-authors .other-author { border-bottom: 2px solid var(--bar); }
.with-authors :is(.authored, .other-author, .author-name) { --bar: var(--own); }
[data-theme="dark"] .with-authors :is(.authored, .other-author, .author-name) { --bar: color-mix(in srgb, var(--own) 45%, white); }
.with-authors .authored .other-author { padding-bottom: 1px; }
.cm-editor .cm-panels-bottom { border-top: 1px solid var(--line); border-bottom: 0; }
.authors-below { display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 7px 24px; min-height: 34px; color: var(--ink-soft); } .authors-below > :first-child { flex: 1 1 auto; }
.author-name::before { content: ""; display: inline-block; width: 9px; height: 9px; margin-right: 6px; border-radius: 3px; background: var(--bar); }
`);

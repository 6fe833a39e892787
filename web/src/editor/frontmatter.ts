// Puts a form in the place of the frontmatter block; a block with suggestions in it stays as text.

import { type Extension, Facet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";

import { type Block, readBlock } from "../text/properties.ts";
import { verbatim } from "./guard.ts";
import { reading } from "./marks.ts";

const BLOCK_MAX = 65_536;

export const asForm = StateEffect.define<boolean>();
/** Fills the place of the form; it hears a `leave` event when that goes away. */
export const showForm = Facet.define<(place: HTMLElement, view: EditorView) => void>();

interface Front {
  readonly form: boolean;
  readonly block: Block | null;
  readonly shown: DecorationSet;
}

export const front = StateField.define<Front>({
  create: (state) => frontOf(true, state.doc.sliceString(0, BLOCK_MAX), state.field(reading).pending[0]?.start ?? Infinity),
  update(value, transaction) {
    const told = transaction.effects.find((effect) => effect.is(asForm));
    const form = told ? (told.value as boolean) : value.form;
    if (!told && !transaction.docChanged) return value;
    const reach = (value.block?.end ?? 8) + 1;
    if (!told && transaction.changes.touchesRange(0, reach) === false) return value;
    const { doc } = transaction.state;
    return frontOf(form, doc.sliceString(0, BLOCK_MAX), transaction.state.field(reading).pending[0]?.start ?? Infinity);
  },
  provide: (field) => [
    EditorView.decorations.from(field, (value) => value.shown),
    EditorView.atomicRanges.of((view) => view.state.field(field).shown),
  ],
});

function frontOf(form: boolean, text: string, firstSuggestion: number): Front {
  const block = readBlock(text);
  const hide = form && block && firstSuggestion > block.end;
  const shown = hide ? Decoration.set([Decoration.replace({ block: true, widget: new Form() }).range(0, block.end)]) : Decoration.none;
  return { form: Boolean(hide) || (form && !block), block, shown };
}

class Form extends WidgetType {
  override eq(): boolean {
    return true;
  }
  toDOM(view: EditorView): HTMLElement {
    const place = document.createElement("div");
    place.className = "form";
    for (const show of view.state.facet(showForm)) show(place, view);
    return place;
  }
  override destroy(place: HTMLElement): void {
    place.dispatchEvent(new CustomEvent("leave"));
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

/** Show a form instead of text or the other way round; without properties, begin some. */
export function switchProperties(view: EditorView): void {
  if (view.state.field(front).block) view.dispatch({ effects: asForm.of(!view.state.field(front).form) });
  else if (!view.state.readOnly) view.dispatch({ changes: { from: 0, insert: "---\ntags: []\n---\n" }, annotations: verbatim.of(true) });
}

/** Put the cursor into the text: at its end, or behind the properties. */
export function writeAt(view: EditorView, at: "start" | "end"): void {
  const { head } = view.state.selection.main;
  const start = Math.min(view.state.doc.length, view.state.field(front).block?.end ?? 0);
  if (at === "end") view.dispatch({ selection: { anchor: view.state.doc.length }, scrollIntoView: true });
  else if (head < start) view.dispatch({ selection: { anchor: start } });
  view.focus();
}

export function frontmatter(): Extension {
  return front;
}

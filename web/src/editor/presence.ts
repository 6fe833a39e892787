// The cursors and names of everybody else who has the note open. Colours are classes, made from
// names: nothing that another client says becomes a style.

import { Annotation, EditorSelection, type Extension, type Range } from "@codemirror/state";
import { Decoration, type DecorationSet, Direction, EditorView, layer, RectangleMarker, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import type { Awareness } from "y-protocols/awareness";
import * as Y from "yjs";

import { colourOf } from "../person.ts";

const NAME_MAX = 40;
const changed = Annotation.define<boolean>();

export interface Present {
  readonly client: number;
  readonly name: string;
  readonly assistant: boolean;
}

/** Everybody present, oneself left out. */
export function present(awareness: Awareness): Present[] {
  const found: Present[] = [];
  for (const [client, state] of awareness.getStates()) {
    const user = (state as { user?: { name?: unknown; kind?: unknown } }).user;
    if (client === awareness.clientID || !user) continue;
    const name = String(user.name ?? "Someone").slice(0, NAME_MAX);
    found.push({ client, name, assistant: user.kind === "assistant" });
  }
  return found;
}

interface Cursor extends Present {
  readonly anchor: number;
  readonly head: number;
}

export function presence(awareness: Awareness, text: Y.Text): Extension {
  const plugin = ViewPlugin.fromClass(
    class {
      shown: DecorationSet;
      readonly listener: (change: { added: number[]; updated: number[]; removed: number[] }) => void;
      constructor(readonly view: EditorView) {
        this.shown = carets(cursorsOf(awareness, text));
        this.listener = ({ added, updated, removed }) => {
          const others = [...added, ...updated, ...removed].some((id) => id !== awareness.clientID);
          if (others) queueMicrotask(() => view.dispatch({ annotations: changed.of(true) }));
        };
        awareness.on("change", this.listener);
      }
      destroy() {
        awareness.off("change", this.listener);
        awareness.setLocalStateField("cursor", null);
      }
      update(update: ViewUpdate) {
        if (update.selectionSet || update.docChanged || update.focusChanged) tell(awareness, text, update.view);
        const told = update.transactions.some((each) => each.annotation(changed));
        if (told || update.docChanged) this.shown = carets(cursorsOf(awareness, text));
      }
    },
    { decorations: (value) => value.shown },
  );
  return [plugin, selections(awareness, text)];
}

function tell(awareness: Awareness, text: Y.Text, view: EditorView): void {
  const { anchor, head } = view.state.selection.main;
  const place = (at: number) => Y.createRelativePositionFromTypeIndex(text, Math.min(at, text.length));
  const cursor = view.hasFocus ? { anchor: place(anchor), head: place(head) } : null;
  const known = awareness.getLocalState()?.["cursor"] as typeof cursor;
  const same = cursor && known && Y.compareRelativePositions(cursor.anchor, known.anchor) && Y.compareRelativePositions(cursor.head, known.head);
  if (!same && (cursor || known)) awareness.setLocalStateField("cursor", cursor);
}

function cursorsOf(awareness: Awareness, text: Y.Text): Cursor[] {
  const found: Cursor[] = [];
  for (const one of present(awareness)) {
    const cursor = (awareness.getStates().get(one.client) as { cursor?: { anchor: unknown; head: unknown } }).cursor;
    const anchor = placeOf(cursor?.anchor, text);
    const head = placeOf(cursor?.head, text);
    if (anchor !== null && head !== null) found.push({ ...one, anchor, head });
  }
  return found;
}

function placeOf(told: unknown, text: Y.Text): number | null {
  if (!told || !text.doc) return null;
  try {
    const place = Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON(told), text.doc);
    return place?.type === text ? place.index : null;
  } catch {
    return null; // whatever another client says, it cannot stop this one
  }
}

function carets(cursors: Cursor[]): DecorationSet {
  const found: Range<Decoration>[] = cursors.map((one) =>
    Decoration.widget({ side: 1, widget: new Caret(one.name, one.assistant) }).range(one.head),
  );
  return Decoration.set(found, true);
}

class Caret extends WidgetType {
  constructor(private readonly name: string, private readonly assistant: boolean) {
    super();
  }
  override eq(other: Caret): boolean {
    return other.name === this.name && other.assistant === this.assistant;
  }
  toDOM(): HTMLElement {
    const caret = document.createElement("span");
    caret.className = `cm-other ${colourOf(this.name)}${this.assistant ? " assistant" : ""}`;
    caret.setAttribute("aria-hidden", "true");
    const label = document.createElement("span");
    label.className = "cm-other-name";
    label.textContent = this.assistant ? `✦ ${this.name}` : this.name;
    caret.append("\u2060", label, "\u2060");
    return caret;
  }
  override get estimatedHeight(): number {
    return -1;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

function selections(awareness: Awareness, text: Y.Text): Extension {
  return layer({
    above: false,
    class: "cm-others",
    update: (update) => update.docChanged || update.viewportChanged || update.transactions.some((each) => each.annotation(changed)),
    markers: (view) =>
      cursorsOf(awareness, text).flatMap((one) => {
        const [from, to] = [Math.min(one.anchor, one.head), Math.min(Math.max(one.anchor, one.head), view.state.doc.length)];
        if (from >= to || view.textDirection === Direction.RTL) return [];
        return RectangleMarker.forRange(view, `cm-other-range ${colourOf(one.name)}`, EditorSelection.range(from, to));
      }),
  });
}

// Wikilinks in the editor: shown as links, followed by click, previewed.

import { type Extension, type Range, StateEffect } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, hoverTooltip, keymap, ViewPlugin, type ViewUpdate } from "@codemirror/view";

import { get, maybe } from "../api.ts";

export interface Linking {
  /** The path that a link means, or null. */
  readonly resolve: (link: string) => string | null;
  readonly follow: (link: string) => void;
  /** Paths whose name alone is unique. */
  readonly shortest: (path: string) => string;
}

/** A note that a half-typed name may mean; by another name of it, if it has one that fits. */
export interface Completed {
  readonly path: string;
  readonly alias: string;
}

/** Tells that notes came or went: links may lead elsewhere now. */
export const relink = StateEffect.define<null>();

const LINK = /\[\[([^[\]\n]{1,500})\]\]/g;
const PREVIEW_CHARS = 1500;

export function wikilinks(linking: Linking): Extension {
  return [links(linking), preview(linking), clicks(linking), keymap.of([{ key: "Alt-Enter", run: (view) => followHere(view, linking) }])];
}

function links(linking: Linking): Extension {
  const find = (view: EditorView): DecorationSet => {
    const found: Range<Decoration>[] = [];
    for (const { from, to } of view.visibleRanges) {
      for (const match of view.state.doc.sliceString(from, to).matchAll(LINK)) {
        const start = from + match.index;
        const known = linking.resolve(match[1]!) !== null;
        const end = start + match[0].length;
        const bar = match[1]!.indexOf("|");
        found.push(Decoration.mark({ class: "cm-bracket" }).range(start, start + 2 + (bar < 0 ? 0 : bar + 1)));
        found.push(Decoration.mark({ class: known ? "cm-wikilink" : "cm-wikilink unresolved", attributes: { "data-link": match[1]! } }).range(start + 2, end - 2));
        found.push(Decoration.mark({ class: "cm-bracket" }).range(end - 2, end));
      }
    }
    return Decoration.set(found, true);
  };
  return ViewPlugin.fromClass(
    class {
      shown: DecorationSet;
      constructor(view: EditorView) {
        this.shown = find(view);
      }
      update(update: ViewUpdate) {
        const told = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(relink)));
        if (told || update.docChanged || update.viewportChanged) this.shown = find(update.view);
      }
    },
    { decorations: (value) => value.shown },
  );
}

export function linkAt(view: EditorView, place: number): { link: string; from: number; to: number } | null {
  const line = view.state.doc.lineAt(place);
  for (const match of line.text.matchAll(LINK)) {
    const from = line.from + match.index;
    const to = from + match[0].length;
    if (from <= place && place <= to) return { link: match[1]!, from, to };
  }
  return null;
}

function followHere(view: EditorView, linking: Linking): boolean {
  const found = linkAt(view, view.state.selection.main.head);
  if (found) linking.follow(found.link);
  return found !== null;
}

/** A plain click follows; with Alt, or after a drag, it only sets the caret. */
function clicks(linking: Linking): Extension {
  return EditorView.domEventHandlers({
    click(event, view) {
      const target = event.target instanceof Element ? event.target.closest("[data-link]") : null;
      if (!target || event.button !== 0 || event.altKey || event.shiftKey || !view.state.selection.main.empty) return false;
      event.preventDefault();
      linking.follow(target.getAttribute("data-link") ?? "");
      return true;
    },
  });
}

function preview(linking: Linking): Extension {
  return hoverTooltip(
    async (view, place) => {
      const found = linkAt(view, place);
      const path = found && linking.resolve(found.link);
      if (!found || !path) return null;
      const note = await maybe(get("note", { path }));
      if (!note) return null;
      const { renderInto } = await import("../preview.ts");
      return {
        pos: found.from,
        end: found.to,
        above: true,
        create: () => {
          const dom = document.createElement("div");
          dom.className = "peek prose";
          renderInto(dom, note.text.slice(0, PREVIEW_CHARS), () => undefined, path);
          return { dom };
        },
      };
    },
    { hoverTime: 350 },
  );
}

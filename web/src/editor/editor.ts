// The editor of one note, put together.

import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, dropCursor, EditorView, keymap, placeholder, tooltips } from "@codemirror/view";
import { yCollab, yUndoManagerKeymap } from "y-codemirror.next";
import * as Y from "yjs";

import type { Session } from "../live/session.ts";
import { type Credit, ledger } from "./credits.ts";
import { frontmatter, showForm } from "./frontmatter.ts";
import { guard, onRefused, suggestingMode } from "./guard.ts";
import { look } from "./look.ts";
import { reading } from "./marks.ts";
import { presence } from "./presence.ts";
import { type Decide, showSuggestions } from "./suggestions.ts";
import { leaveOutUnwritable } from "./unwritable.ts";
import { type Linking, wikilinks } from "./wikilinks.ts";

export interface Wishes {
  readonly session: Session;
  readonly title: string;
  readonly linking: Linking;
  readonly decide: Decide;
  readonly credits: ReadonlyMap<string, Credit>;
  readonly refused: (why: string) => void;
  readonly showForm: (place: HTMLElement, view: EditorView) => void;
  readonly onState: (state: EditorState) => void;
}

const mode = new Compartment();
const later = new Compartment();

export function openEditor(parent: HTMLElement, wishes: Wishes): EditorView {
  const { session } = wishes;
  const undoManager = new Y.UndoManager(session.text);
  const state = EditorState.create({
    doc: session.text.toString(),
    extensions: [
      reading,
      mode.of([]),
      later.of([]),
      guard(),
      leaveOutUnwritable(),
      onRefused.of(wishes.refused),
      ledger.of(wishes.credits),
      showSuggestions(wishes.decide),
      wikilinks(wishes.linking),
      frontmatter(),
      showForm.of(wishes.showForm),
      writing(wishes),
      yCollab(session.text, null, { undoManager }),
      presence(session.awareness, session.text),
      EditorView.updateListener.of((update) => update.docChanged && wishes.onState(update.state)),
    ],
  });
  const view = new EditorView({ state, parent });
  void import("./extras.ts").then(({ extras }) => {
    if (view.dom.isConnected) view.dispatch({ effects: later.reconfigure(extras(wishes.linking)) });
  });
  return view;
}

function writing({ title }: Wishes): Extension {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
  return [
    look(),
    EditorView.cspNonce.of(nonce),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": `Text of ${title}`, spellcheck: "true", autocapitalize: "sentences" }),
    drawSelection(),
    tooltips({ tooltipSpace: (view) => view.scrollDOM.getBoundingClientRect() }),
    dropCursor(),
    placeholder("Write here. [[ links to another note."),
    keymap.of(yUndoManagerKeymap),
  ];
}

export type Mode = "write" | "suggest" | "read";

export function setMode(view: EditorView, wanted: Mode): void {
  const extension = wanted === "suggest" ? suggestingMode.of(true) : wanted === "read" ? EditorState.readOnly.of(true) : [];
  view.dispatch({ effects: mode.reconfigure(extension) });
}

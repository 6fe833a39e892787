// What an editor can wait a moment for: completion, lists, formatting, hidden marks, finding, the
// usual keys, authors. In a chunk of its own, as each one more makes a note cost more to open.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap } from "@codemirror/commands";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { type Extension, Prec } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";

import { noteActions } from "../commands.ts";
import { authors } from "../history/authors.ts";
import { dialog, tell } from "../store.ts";
import { completions, patientEnter } from "./completion.ts";
import { formatKeys, pasteLinks } from "./format.ts";
import { listKeys } from "./lists.ts";
import { livePreview } from "./live_preview.ts";
import type { Linking } from "./wikilinks.ts";

export { switchAuthors } from "../history/authors.ts";

export function extras(linking: Linking): Extension {
  return [
    closeBrackets(),
    search({ top: true }),
    highlightSelectionMatches({ minSelectionLength: 3, wholeWords: true }),
    autocompletion({ override: completions(linking), icons: false }),
    patientEnter(),
    livePreview(),
    authors(),
    pasteLinks(),
    Prec.high(keymap.of([...closeBracketsKeymap, ...completionKeymap, ...searchKeymap])),
    keymap.of([...formatKeys, ...listKeys, { key: "Mod-Alt-m", run: () => { noteActions.peek()?.comment(); return true; } }]),
    Prec.low(keymap.of(defaultKeymap)),
  ];
}

/** Ask for a comment on what is selected. */
export function commentOn(view: EditorView, path: string): void {
  const { from, to } = view.state.selection.main;
  const passage = view.state.sliceDoc(from, to).trim();
  if (!passage || passage.includes("\n\n")) tell("Select some words of one paragraph first.");
  else dialog.value = { kind: "comment", path, passage };
}

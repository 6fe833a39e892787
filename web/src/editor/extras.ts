// What an editor can wait a moment for: completion, brackets, finding, the usual keys. In a chunk of its own.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap } from "@codemirror/commands";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { type Extension, Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";

import { completion, type Linking } from "./wikilinks.ts";

export function extras(linking: Linking): Extension {
  return [
    closeBrackets(),
    search({ top: true }),
    highlightSelectionMatches({ minSelectionLength: 3, wholeWords: true }),
    autocompletion({ override: [completion(linking)], icons: false }),
    Prec.high(keymap.of([...closeBracketsKeymap, ...completionKeymap, ...searchKeymap])),
    Prec.low(keymap.of(defaultKeymap)),
  ];
}

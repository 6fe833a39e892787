// Formatting while writing: bold, italic, links, and a pasted address that makes a link of words.

import { syntaxTree } from "@codemirror/language";
import { type ChangeSpec, EditorSelection, type EditorState, type Extension } from "@codemirror/state";
import { EditorView, type KeyBinding } from "@codemirror/view";

import { suggestingMode } from "./guard.ts";

const ADDRESS = /^https?:\/\/[^\s<>]+$/i;
const CODE = /^(?:FencedCode|CodeBlock|InlineCode|CodeText|Frontmatter|HTMLBlock)$/;
const CODE_BLOCK = /^(?:FencedCode|CodeBlock)$/;

export const formatKeys: readonly KeyBinding[] = [
  { key: "Mod-b", run: (view) => wrap(view, "**"), preventDefault: true },
  { key: "Mod-i", run: (view) => wrap(view, "*"), preventDefault: true },
  { key: "Mod-k", run: linkSelection },
];

export function pasteLinks(): Extension {
  return EditorView.domEventHandlers({
    paste(event, view) {
      const address = event.clipboardData?.getData("text/plain").trim() ?? "";
      const { from, to, empty } = view.state.selection.main;
      const words = view.state.sliceDoc(from, to);
      if (view.state.readOnly || empty || !ADDRESS.test(address) || ADDRESS.test(words) || /[[\]\n]/.test(words) || inCode(view.state, from)) return false;
      event.preventDefault();
      const insert = `[${words}](${address.replaceAll("(", "%28").replaceAll(")", "%29")})`;
      view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.paste", scrollIntoView: true });
      return true;
    },
  });
}

/** Whether a place is in code, where signs mean themselves. */
export function inCode(state: EditorState, place: number): boolean {
  return within(state, place, CODE);
}

/** Whether a place is in a block of code, where blanks at the start of lines are the writer's. */
export function inCodeBlock(state: EditorState, place: number): boolean {
  return within(state, place, CODE_BLOCK);
}

function within(state: EditorState, place: number, kind: RegExp): boolean {
  for (let node = syntaxTree(state).resolveInner(place, -1); ; ) {
    if (kind.test(node.name)) return true;
    if (!node.parent) return false;
    node = node.parent;
  }
}

/** Put signs around what is selected, or the word at the cursor; take them away where they are. */
function wrap(view: EditorView, sign: string): boolean {
  const { state } = view;
  if (state.readOnly) return false;
  const main = state.selection.main;
  const { from, to } = main.empty ? (state.wordAt(main.head) ?? main) : trimmed(state, main.from, main.to);
  const has = wrapped(state, from, to, sign);
  const shift = has ? -sign.length : sign.length;
  const parts: ChangeSpec = has
    ? [{ from: from - sign.length, to: from }, { from: to, to: to + sign.length }]
    : [{ from, insert: sign }, { from: to, insert: sign }];
  // What is suggested has to be one change.
  const one: ChangeSpec = has
    ? { from: from - sign.length, to: to + sign.length, insert: state.sliceDoc(from, to) }
    : { from, to, insert: sign + state.sliceDoc(from, to) + sign };
  const selection = main.empty ? EditorSelection.cursor(main.head + shift) : EditorSelection.range(from + shift, to + shift);
  view.dispatch({ changes: state.facet(suggestingMode) ? one : parts, selection, userEvent: "input", scrollIntoView: true });
  return true;
}

/** Signs stand at words, never at the blanks around them. */
function trimmed(state: EditorState, from: number, to: number): { from: number; to: number } {
  const text = state.sliceDoc(from, to);
  const start = text.length - text.trimStart().length;
  return text.trim() ? { from: from + start, to: from + start + text.trim().length } : { from, to };
}

/** One `*` beside another is half of a `**`, unless there are three. */
function wrapped(state: EditorState, from: number, to: number, sign: string): boolean {
  const before = /\*+$/.exec(state.sliceDoc(Math.max(0, from - 3), from))?.[0].length ?? 0;
  const after = /^\*+/.exec(state.sliceDoc(to, to + 3))?.[0].length ?? 0;
  const both = Math.min(before, after);
  return sign === "**" ? both >= 2 : both === 1 || both === 3;
}

/** Make a link of what is selected; without a selection the key is the page's. */
function linkSelection(view: EditorView): boolean {
  const { state } = view;
  const { from, to, empty } = state.selection.main;
  if (empty || state.readOnly) return false;
  const words = state.sliceDoc(from, to);
  const address = ADDRESS.test(words.trim());
  const insert = address ? `[](${words.trim()})` : `[${words}]()`;
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: address ? from + 1 : from + insert.length - 1 }, userEvent: "input", scrollIntoView: true });
  return true;
}

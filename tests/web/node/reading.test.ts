// The editor's reading of a note, shifted or read anew, is what reading the whole text gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EditorState } from "@codemirror/state";

import { parse, suggestions } from "../../../web/src/critic/index.ts";
import { neighbour, reading, suggestionAt } from "../../../web/src/editor/marks.ts";

const PIECES = ["word ", "and more ", "\n", "{++new++}", "{--old--}{++new++}", '{++{"author":"Ann"}@@hers++}', "{~~a~>b~~}", "{>>hm<<}", "{==lit==}", "```\n", "- item\n", "  ", "> quote\n", "é😀"];
const TYPED = ["x", "yz", " ", "word", "\n", "{", "+", "-", "}", "`", "", ">", "  "];

test("whatever is typed, the reading is that of the whole text", () => {
  let seed = 3;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
  for (let turn = 0; turn < 1500; turn++) {
    let text = "";
    for (let count = 2 + random(10); count > 0; count--) text += PIECES[random(PIECES.length)];
    let state = EditorState.create({ doc: text, extensions: [reading] });
    for (let key = 0; key < 6; key++) {
      const from = random(state.doc.length + 1);
      const to = Math.min(state.doc.length, from + (random(3) ? 0 : random(3)));
      state = state.update({ changes: { from, to, insert: TYPED[random(TYPED.length)]! } }).state;
      const whole = parse(state.doc.toString());
      const { marked, pending } = state.field(reading);
      assert.deepEqual({ ...marked, text: marked.text }, whole, JSON.stringify([text, from, to]));
      assert.deepEqual(pending, suggestions(whole));
    }
  }
});

test("one finds the suggestion at a place, and the next and previous ones round the ends", () => {
  const state = EditorState.create({ doc: "a {++b++} c {--d--} e", extensions: [reading] });
  const found = state.field(reading);
  const [first, second] = found.pending;
  assert.equal(suggestionAt(found, 2), first);
  assert.equal(suggestionAt(found, 9), first);
  assert.equal(suggestionAt(found, 10), null);
  assert.equal(neighbour(found, 5, 1), second);
  assert.equal(neighbour(found, 20, 1), first);
  assert.equal(neighbour(found, 0, -1), second);
});

import assert from "node:assert/strict";
import test from "node:test";
import { EditorState } from "@codemirror/state";
import { leaveOutUnwritable } from "../../../web/src/editor/unwritable.ts";

const state = EditorState.create({ doc: "one two", extensions: [leaveOutUnwritable()] });

test("NUL is left out of what is pasted, and the cursor stands behind it", () => {
  const pasted = state.update({ changes: { from: 3, to: 4, insert: "-\0a\0b-" }, userEvent: "input.paste" });
  assert.equal(pasted.state.doc.toString(), "one-ab-two");
  assert.equal(pasted.state.selection.main.head, 7);
});

test("several places at once keep their own texts", () => {
  const changes = [
    { from: 0, to: 3, insert: "\0" },
    { from: 4, to: 7, insert: "x\0y" },
  ];
  const dropped = state.update({ changes, userEvent: "input.drop" });
  assert.equal(dropped.state.doc.toString(), " xy");
  assert.equal(dropped.state.selection.main.head, 3);
});

test("what can be written is left as it is, and so is what others wrote", () => {
  const typed = state.update({ changes: { from: 0, insert: "a" }, selection: { anchor: 0 }, userEvent: "input.type" });
  assert.equal(typed.state.doc.toString(), "aone two");
  assert.equal(typed.state.selection.main.head, 0);
  const theirs = state.update({ changes: { from: 0, insert: "\0" } });
  assert.equal(theirs.state.doc.length, 8);
});

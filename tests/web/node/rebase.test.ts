// Edits that are carried over to a text that went another way.
import assert from "node:assert/strict";
import { test } from "node:test";

import { type Edit, editsBetween, rebased } from "../../../web/src/live/rebase.ts";

function applied(text: string, edits: readonly Edit[]): string {
  return [...edits].reverse().reduce((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text);
}

const merged = (base: string, mine: string, theirs: string) => applied(theirs, rebased(base, mine, theirs));

const TEXTS = ["", "a", "one\ntwo\nthree\n", "one\nthree\n", "two\none\nthree", "one 😀\ntwo, too\nthree\nfour", "\n\n\n", "x\nx\nx\ny\nx\n"];

test("edits make one text of another", () => {
  for (const one of TEXTS) for (const other of TEXTS) assert.equal(applied(one, editsBetween(one, other)), other);
});

test("what only one side changed comes out as that side has it", () => {
  for (const base of TEXTS) {
    for (const other of TEXTS) {
      assert.equal(merged(base, other, base), other);
      assert.equal(merged(base, base, other), other);
      assert.equal(merged(base, other, other), other);
    }
  }
});

test("changes in different places are both there, once", () => {
  assert.equal(merged("a b\nc d\ne f\n", "a b\nc new d\ne f\n", "a old b\nc d\ne\n"), "a old b\nc new d\ne\n");
  assert.equal(merged("They visit.\n", "They visit. Offline words.\n", "They visit.\nMore.\n"), "They visit. Offline words.\nMore.\n");
});

test("both sides of a clash are kept", () => {
  const found = merged("the old tree\n", "the tall tree\n", "the green tree\n");
  assert.match(found, /^the (tallgreen|greentall) tree\n$/);
});

test("a long text is compared by its lines", () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `Line ${at} of a long note.\n`);
  const base = lines.join("");
  const mine = base.replace("Line 7 of", "Line 7 mine of").replace("Line 19000 of", "Line 19000 mine of");
  const theirs = base.replace("Line 9000 of", "Line 9000 theirs of").replace("Line 3 of a long note.\n", "");
  const start = process.cpuUsage();
  const found = merged(base, mine, theirs);
  assert.ok(process.cpuUsage(start).user < 2000_000); // processor time: others may be at work
  assert.equal(found, theirs.replace("Line 7 of", "Line 7 mine of").replace("Line 19000 of", "Line 19000 mine of"));
});

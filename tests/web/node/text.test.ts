// The page's pure modules: words, finding, links, properties, headings, the tree.
import assert from "node:assert/strict";
import { test } from "node:test";

import { find, match } from "../../../web/src/text/fuzzy.ts";
import { isLong, shortened } from "../../../web/src/text/folded.ts";
import { headings } from "../../../web/src/text/headings.ts";
import { Resolver, targetOf } from "../../../web/src/text/paths.ts";
import { readBlock, writeProperty } from "../../../web/src/text/properties.ts";
import { age } from "../../../web/src/text/age.ts";
import { folderTree, openRows } from "../../../web/src/text/tree.ts";
import { whole } from "../../../web/src/text/whole.ts";
import { wordDiff } from "../../../web/src/text/words.ts";

test("a word diff gives both texts back", () => {
  const texts = ["", "a", "the old tree", "the new, tall tree", "中文 字", "a  b\nc", "😀 x", "it's fine."];
  for (const old of texts) {
    for (const added of texts) {
      const parts = wordDiff(old, added);
      assert.equal(parts.filter((p) => p.kind !== "new").map((p) => p.text).join(""), old);
      assert.equal(parts.filter((p) => p.kind !== "old").map((p) => p.text).join(""), added);
    }
  }
});

test("a word diff shows only the words that changed", () => {
  assert.deepEqual(wordDiff("the old tree", "the tall tree"), [
    { kind: "same", text: "the " }, { kind: "old", text: "old" }, { kind: "new", text: "tall" }, { kind: "same", text: " tree" },
  ]);
});

test("finding prefers the name, then word starts, and rejects what does not match", () => {
  const paths = ["archive/garden old", "notes/garden", "gears and dens", "other"];
  assert.equal(find("garden", paths, (p) => p, 5)[0]!.item, "notes/garden");
  assert.deepEqual(find("gad", paths, (p) => p, 5).map((f) => f.item).includes("other"), false);
  assert.equal(match("xyz", "other"), null);
});

test("a hundred thousand names are searched in a moment", () => {
  const paths = Array.from({ length: 100_000 }, (_, at) => `folder ${at % 300}/note number ${at}`);
  const start = process.cpuUsage();
  assert.equal(find("note 99999", paths, (p) => p, 20)[0]!.item, "folder 99/note number 99999");
  assert.ok(process.cpuUsage(start).user < 1000_000); // processor time: others may be at work
});

test("links are taken apart and resolved as the server does in the simple cases", () => {
  assert.deepEqual(targetOf("A note#Head|alias"), { note: "A note", heading: "Head" });
  const notes = new Resolver(["Start.md", "a/Plan.md", "b/Plan.md", "b/c/Deep.md"]);
  assert.equal(notes.resolve("plan", "b/x.md"), "b/Plan.md");
  assert.equal(notes.resolve("c/deep", "Start.md"), "b/c/Deep.md");
  assert.equal(notes.resolve("Start", "b/c/Deep.md"), "Start.md");
  assert.equal(notes.resolve("", "Start.md"), "Start.md");
  assert.equal(notes.resolve("None", "Start.md"), null);
});

test("simple properties are read with their lines, others are left alone", () => {
  const text = "---\ntitle: A: b\ntags: [x, y]\nlist:\n  - one\n  - two\ndone: true\nn: 4.5\nwhen: 2027-03-01\ndeep:\n  a: 1\nempty:\n---\nText\n";
  const block = readBlock(text)!;
  assert.deepEqual(block.properties.map((p) => [p.key, p.complex ? "…" : p.value]), [
    ["title", "A: b"], ["tags", ["x", "y"]], ["list", ["one", "two"]], ["done", true], ["n", 4.5], ["when", "2027-03-01"], ["deep", "…"], ["empty", null],
  ]);
  for (const property of block.properties) assert.ok(text.slice(property.from, property.to).startsWith(property.key));
  assert.equal(text.slice(block.closing, block.end), "---");
  assert.equal(readBlock("no block"), null);
  assert.equal(readBlock("---\nnever closed"), null);
});

test("a written property is read back as it was", () => {
  for (const value of ["plain", "a: b", "true", "12", " blank ", "#tag", "", "[x]", "it's", 'say "hi"', "-", "2027-01-01", ["a", "b: c"], [], 3, -1.5, true, null, "null"]) {
    const block = readBlock(`---\n${writeProperty("key", value)}\n---\n`)!;
    assert.deepEqual(block.properties[0]!.value, value, JSON.stringify(value));
  }
});

test("headings are found outside code", () => {
  const found = headings("# One\n```\n# not\n```\n## Two ##\ntext # no\n");
  assert.deepEqual(headings("# Learn C#\n## Learn F# ##\n").map(({ text }) => text), ["Learn C#", "Learn F#"]);
  assert.deepEqual(found.map((h) => [h.level, h.text, h.line]), [[1, "One", 1], [2, "Two", 5]]);
});

test("ages are short", () => {
  assert.equal(age(0, 30_000), "just now");
  assert.equal(age(0, 3_600_000 * 5), "5 h ago");
});

test("the tree shows folders first, counts what is inside, opens on demand", () => {
  const tree = folderTree([{ path: "a/b/x.md", pending: 2 }, { path: "a/y.md", pending: 1 }, { path: "z.md", pending: 0 }]);
  assert.deepEqual(openRows(tree, new Set()).map((r) => [r.name, r.pending]), [["a", 3], ["z", 0]]);
  assert.deepEqual(openRows(tree, new Set(["a"])).map((r) => [r.name, r.depth]), [["a", 0], ["b", 1], ["y", 1], ["z", 0]]);
});

test("no edit cuts a character in half", () => {
  const text = "a😀b";
  const made = (from: number, to: number, insert: string) => {
    const edit = whole({ from, to, insert }, (start, end) => text.slice(Math.max(0, start), end));
    return text.slice(0, edit.from) + edit.insert + text.slice(edit.to);
  };
  assert.equal(made(2, 3, "\ude01"), "a😁b"); // as CodeMirror reads 😀 replaced by 😁
  assert.equal(made(1, 2, "\ud83e"), "a🨀b");
  assert.equal(made(2, 2, "x"), "a😀xb");
  assert.equal(made(2, 3, ""), "ab");
  assert.equal(made(2, 4, "x"), "ax");
  assert.equal(made(0, 1, "é"), "é😀b");
  assert.equal(made(1, 3, "👧"), "a👧b");
  for (let from = 0; from <= text.length; from++) {
    for (let to = from; to <= text.length; to++) {
      for (const insert of ["", "x", "😁"]) assert.ok(!/\p{Cs}/u.test(made(from, to, insert)));
    }
  }
});

test("a change of many lines begins, and says how many are hidden", () => {
  const lines = (count: number, word: string) => Array.from({ length: count }, (_, n) => `${word} ${n}\n`).join("");
  const short = [{ kind: "old", text: lines(30, "old") }, { kind: "new", text: lines(30, "new") }] as const;
  assert.deepEqual(shortened(short), { stretches: short, hidden: 0 });
  const long = [{ kind: "old", text: lines(30, "old") }, { kind: "new", text: lines(31, "new") }] as const;
  const { stretches, hidden } = shortened(long);
  assert.equal(hidden, 21);
  assert.deepEqual(stretches, [long[0], { kind: "new", text: lines(10, "new").trimEnd() }]);
  assert.ok(isLong("", lines(61, "new")) && !isLong("", lines(60, "new")));
  assert.ok(!isLong(lines(40, "same"), `${lines(40, "same")}one more`), "what did not change is shown once");
});

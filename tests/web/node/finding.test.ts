// Finding: which words of a text matched, where names fit in a graph, folders without notes.
import assert from "node:assert/strict";
import { test } from "node:test";

import { groupsOf } from "../../../web/src/graph/groups.ts";
import { placeLabels } from "../../../web/src/graph/labels.ts";
import { fromFirstMatch, matchedParts } from "../../../web/src/text/matched.ts";
import { linkTo, Resolver } from "../../../web/src/text/paths.ts";
import { folderTree, openRows } from "../../../web/src/text/tree.ts";

const marked = (text: string, terms: string[]) => matchedParts(text, terms).flatMap((part) => (part.matched ? [part.text] : []));

test("only words that were looked for are marked", () => {
  assert.deepEqual(marked("A book on the pond, and another.", ["book", "pond"]), ["book", "pond"]);
  assert.deepEqual(marked("Running runs, the runner; a rune.", ["running"]), ["Running"]);
  assert.deepEqual(marked("gardens and gardening", ["garden"]), ["gardens", "gardening"]);
  assert.deepEqual(marked("Café society", ["cafe"]), ["Café"]);
  assert.deepEqual(marked("今日は晴れ。", ["晴れ"]), ["晴れ"]);
  assert.deepEqual(marked("cat category", ["cat"]), ["cat", "category"]);
  assert.deepEqual(marked("nothing", []), []);
  assert.equal(matchedParts("A b, c.", ["b"]).map((part) => part.text).join(""), "A b, c.");
});

test("a hit leads to the first word that was looked for, not to where its snippet begins", () => {
  assert.equal(fromFirstMatch("…before. A quokka sits here.", ["quokka"]), "quokka sits here.");
  assert.equal(fromFirstMatch("only alike", ["quokka"]), "only alike");
  assert.equal(fromFirstMatch("only alike", []), "only alike");
});

test("no label lies over another or over the edge", () => {
  const labels = Array.from({ length: 400 }, (_, at) => ({ x: (at * 37) % 500, y: (at * 53) % 300, width: 60, height: 14 }));
  const chosen = placeLabels(labels, 500, 300, 1000).map((at) => labels[at]!);
  assert.ok(chosen.length > 20);
  for (const one of chosen) {
    assert.ok(one.x - 30 >= 0 && one.x + 30 <= 500 && one.y + 14 <= 300);
    for (const other of chosen) assert.ok(one === other || Math.abs(one.x - other.x) >= 60 || Math.abs(one.y - other.y) >= 14);
  }
  assert.equal(placeLabels(labels, 500, 300, 5).length, 5);
});

test("notes are grouped by their top folder or by a tag", () => {
  const node = (id: string) => ({ id, title: id, degree: 0 });
  const graph = { nodes: ["a/x.md", "a/b/y.md", "c/z.md", "top.md"].map(node), edges: [], tags: [["t", [0, 3]], ["u", [3]]] as [string, number[]][] };
  assert.deepEqual(groupsOf(graph, "folder").names, ["a", "c"]);
  assert.deepEqual([...groupsOf(graph, "folder").of], [0, 0, 1, -1]);
  assert.deepEqual([...groupsOf(graph, "tag").of], [0, -1, -1, 1]);
  assert.deepEqual([...groupsOf(graph, "none").of], [-1, -1, -1, -1]);
});

test("a folder without notes stands in its place", () => {
  const top = folderTree([{ path: "a/x.md", pending: 1 }, { path: "c/y.md", pending: 0 }, { path: "z.md", pending: 0 }], ["a/inner", "b"]);
  assert.deepEqual(openRows(top, new Set(["a"])).map((row) => row.path), ["a", "a/inner", "a/x.md", "b", "c", "z.md"]);
  assert.equal(openRows(top, new Set()).find((row) => row.path === "a")!.pending, 1);
});

test("a link names a note as shortly as it can", () => {
  const resolver = new Resolver(["a/x.md", "b/x.md", "c/y.md"]);
  assert.equal(linkTo("c/y.md", resolver), "[[y]]");
  assert.equal(linkTo("b/x.md", resolver), "[[b/x]]");
});

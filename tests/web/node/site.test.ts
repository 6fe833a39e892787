// Search in a site.
import assert from "node:assert/strict";
import { test } from "node:test";

import { search } from "../../../web/src/site/search.ts";

const titles = ["Bees", "Clover", "蜂"];
const texts = new Map([[0, "They dance. Clover feeds them."], [1, "Sow it in May, for the bees; bees love it."], [2, "蜜蜂在跳舞"]]);
const found = (query: string) => search(query, titles, texts).map(({ at }) => at);

test("every word must be there, and the title counts most", () => {
  assert.deepEqual(found("bees"), [0, 1]);
  assert.deepEqual(found("bees MAY"), [1]);
  assert.deepEqual(found("clover dance"), [0]);
  assert.deepEqual(found("nothing"), []);
  assert.deepEqual(found("  "), []);
});

test("scripts without spaces are searched too", () => {
  assert.deepEqual(found("跳舞"), [2]);
});

test("a snippet shows the first word found", () => {
  assert.match(search("feeds", titles, texts)[0]!.snippet, /Clover feeds them/);
});

test("letters whose small form is longer do not shift anything", () => {
  const odd = new Map([[0, "İstanbul’da clover"]]);
  assert.match(search("clover", ["x"], odd)[0]!.snippet, /clover$/);
});

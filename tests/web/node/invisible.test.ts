// What cannot be seen is shown, and what belongs to ordinary writing is left alone.
import assert from "node:assert/strict";
import { test } from "node:test";

import { folded, type Folded, SIDE_MAX } from "../../../web/src/text/folded.ts";
import { visible } from "../../../web/src/text/invisible.ts";
import { spoken } from "../../../web/src/text/spoken.ts";

test("direction marks, zero widths, controls and tags are shown by their numbers", () => {
  assert.equal(visible("pay \u202e001\u202c euros"), "pay <U+202E>001<U+202C> euros");
  assert.equal(visible("a\u200bb\u2066c\x1bd\rf\u{e0041}"), "a<U+200B>b<U+2066>c<U+001B>d<U+000D>f<U+E0041>");
});

test("ordinary writing is left alone", () => {
  for (const text of ["plain", "a\nb\r\nc\td", "日本語 é", "👩‍💻 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "می‌خواهم", "क्‍ष"]) assert.equal(visible(text), text);
});

test("who hears a change hears of what cannot be seen in it", () => {
  assert.equal(spoken("pay", "pay \u202e001"), "replaced “pay” by “pay <U+202E>001”");
  assert.equal(spoken("", "\ufeff"), "inserted “<U+FEFF>”");
  assert.equal(spoken(" ", ""), "deleted “blanks”");
});

test("what is folded is counted, and nothing is folded that fits", () => {
  const fits: Folded = { text: "x".repeat(SIDE_MAX), more: 0 };
  assert.deepEqual(folded("x".repeat(SIDE_MAX)), fits);
  assert.deepEqual(folded("x".repeat(SIDE_MAX) + "pay Mallory"), { text: fits.text, more: 11 });
});

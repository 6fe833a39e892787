// Suggesting: rejecting gives the old text back, accepting gives the text as it was typed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { accepted, base, parse, runs, suggestions } from "../../../web/src/critic/index.ts";
import { type Edit, suggesting } from "../../../web/src/text/suggesting.ts";

const ANN = { name: "Ann", meta: '{"author":"Ann","time":60}@@' };

function apply(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of edits) {
    assert.ok(edit.from >= at, "edits overlap");
    result += text.slice(at, edit.from) + edit.insert;
    at = edit.to;
  }
  return result + text.slice(at);
}

function type(text: string, at: number, typed: string): string {
  let caret = at;
  let now = text;
  for (const letter of typed) {
    const done = suggesting(parse(now), { from: caret, to: caret, insert: letter }, ANN)!;
    now = apply(now, done.edits);
    caret = done.caret;
  }
  return now;
}

test("letters typed one after another are one suggestion", () => {
  const now = type("The fox.", 4, "red ");
  assert.equal(now, `The {++${ANN.meta}red ++}fox.`);
});

test("a word typed over a selection is one replacement", () => {
  const text = "The old fox.";
  const done = suggesting(parse(text), { from: 4, to: 7, insert: "n" }, ANN)!;
  const now = type(apply(text, done.edits), done.caret, "ew");
  assert.equal(accepted(now), "The new fox.");
  assert.equal(base(now), text);
  assert.equal(suggestions(parse(now)).length, 1);
});

test("backspaces run together into one deletion", () => {
  let now = "The old fox.";
  let caret = 7;
  for (let turn = 0; turn < 3; turn++) {
    const done = suggesting(parse(now), { from: caret - 1, to: caret, insert: "" }, ANN)!;
    now = apply(now, done.edits);
    caret = done.caret;
  }
  assert.equal(now, `The {--${ANN.meta}old--} fox.`);
  assert.equal(caret, 4);
});

test("in a code block, and as markup, nothing can be suggested", () => {
  assert.equal(suggesting(parse("```\ncode\n```\n"), { from: 6, to: 6, insert: "x" }, ANN), null);
  for (const markup of ["{++a++}", "{>>b<<}", "{==c==}"]) {
    const done = suggesting(parse("text"), { from: 1, to: 1, insert: markup }, ANN);
    if (done) assert.equal(accepted(apply("text", done.edits)), `t${markup}ext`);
  }
});

const CODE = ["for (;;) {i++}", "{{!-- handlebars --}}", "{{-- blade --}}", "f() {--i;}", "a ++} b", "x ~> y", "{--", "--}", "{~~", "a {+", "{>> b", "==}"];

test("code is one suggestion, pasted or typed letter by letter", () => {
  for (const code of CODE) {
    const pasted = suggesting(parse("The fox."), { from: 4, to: 7, insert: code }, ANN)!;
    assert.ok(pasted, code);
    for (const now of [apply("The fox.", pasted.edits), type("The .", 4, code)]) {
      assert.equal(accepted(now), `The ${code}.`, now);
      assert.equal(suggestions(parse(now)).length, 1, now);
    }
    assert.equal(base(apply("The fox.", pasted.edits)), "The fox.");
  }
});

test("code is deleted as one suggestion, at once or letter by letter", () => {
  for (const code of ["{i++}", "f() {--i;}", "{{!-- x --}}"]) {
    const text = `The ${code}.`;
    const done = suggesting(parse(text), { from: 4, to: 4 + code.length, insert: "" }, ANN)!;
    let now = text;
    let caret = 4 + code.length;
    for (let turn = 0; turn < code.length; turn++) {
      const step = suggesting(parse(now), { from: caret - 1, to: caret, insert: "" }, ANN)!;
      assert.ok(step, JSON.stringify([now, caret]));
      now = apply(now, step.edits);
      caret = step.caret;
    }
    for (const each of [apply(text, done.edits), now]) {
      assert.equal(base(each), text, each);
      assert.equal(accepted(each), "The .", each);
      assert.equal(suggestions(parse(each)).length, 1, each);
    }
  }
});

test("for random edits, rejecting gives the old base and accepting makes the edit", () => {
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed % below;
  };
  const pieces = ["word ", "a", `{++${ANN.meta}mine++}`, "{++yours++}", `{--${ANN.meta}gone--}`, "{--old--}{++new++}", "{~~x~>y~~}", "{>>remark<<}", "\n", "{i", "++}", "{-"];
  let made = 0;
  for (let turn = 0; turn < 4000; turn++) {
    let text = "";
    for (let count = random(8); count >= 0; count--) text += pieces[random(pieces.length)];
    const marked = parse(text);
    // A person's caret stands beside what is seen: never inside a delimiter or a deleted text.
    const places = runs(marked).flatMap((run) => (run.role === "plain" || run.role === "new" ? Array.from({ length: run.end - run.start + 1 }, (_, at) => run.start + at) : []));
    if (!places.length) continue;
    const [one, other] = [places[random(places.length)]!, places[random(places.length)]!];
    const edit = { from: Math.min(one, other), to: Math.max(one, other), insert: ["", "x", "two words", "{i++}", "--}", "{--"][random(6)]! };
    const done = suggesting(marked, edit, ANN);
    if (!done) continue;
    made++;
    const now = apply(text, done.edits);
    assert.equal(base(now), base(text), JSON.stringify([text, edit, now]));
    const want = expected(text, edit);
    assert.equal(accepted(now), want, JSON.stringify([text, edit, now]));
  }
  assert.ok(made > 1500);
});

/** The accepted text with everything visible between the two places replaced. */
function expected(text: string, { from, to, insert }: Edit): string {
  const marked = parse(text);
  let before = "";
  let after = "";
  for (const run of runs(marked)) {
    if (run.role !== "plain" && run.role !== "new") continue;
    before += text.slice(run.start, Math.max(run.start, Math.min(run.end, from)));
    after += text.slice(Math.min(run.end, Math.max(run.start, to)), run.end);
  }
  return before + insert + after;
}

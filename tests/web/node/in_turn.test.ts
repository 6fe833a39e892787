// Work that must not overlap with itself.
import assert from "node:assert/strict";
import { test } from "node:test";

import { inTurn } from "../../../web/src/in_turn.ts";

test("what is asked for while it runs is done once more, after it", async () => {
  const begun: (() => void)[] = [];
  let [now, most] = [0, 0];
  const ask = inTurn(async () => {
    most = Math.max(most, ++now);
    await new Promise<void>((done) => begun.push(done));
    now--;
  });
  const first = ask();
  const [second, third] = [ask(), ask()];
  assert.equal(begun.length, 1);
  begun[0]!();
  await first;
  await new Promise((done) => setTimeout(done));
  assert.equal(begun.length, 2);
  const fourth = ask();
  begun[1]!();
  await Promise.all([second, third]);
  await new Promise((done) => setTimeout(done));
  begun[2]!();
  await fourth;
  assert.deepEqual([begun.length, most], [3, 1]);
});

test("work that failed is done again when it is asked for", async () => {
  let tries = 0;
  const ask = inTurn(async () => { if (++tries === 1) throw new Error("away"); });
  const first = ask();
  const second = ask();
  await assert.rejects(first);
  await second;
  await ask();
  assert.equal(tries, 3);
});

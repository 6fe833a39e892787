// Comments that answer each other: read, answered, resolved.

import { useSignal } from "@preact/signals";

import type { Thread } from "../sets.ts";
import { readOnly } from "../store.ts";
import { age } from "../text/age.ts";
import { visible } from "../text/invisible.ts";

interface Doing {
  readonly reply: (path: string, to: string, text: string) => void;
  readonly resolve: (path: string, text: string) => void;
}

/** `number` is that of the change that it is about, 0 for any other passage. */
export function Threaded({ path, thread, number, doing }: { path: string; thread: Thread; number: number; doing: Doing }) {
  const answer = useSignal("");
  const last = thread.said.at(-1)!;
  const send = (event: Event) => {
    event.preventDefault();
    if (answer.peek().trim()) doing.reply(path, last.text, answer.peek());
    answer.value = "";
  };
  return (
    <section class="thread" aria-label={`Comments about “${visible(thread.about.slice(0, 80))}”`}>
      {!number && <p class="muted thread-about">Line {thread.line}: “{visible(thread.about.slice(0, 160))}”</p>}
      {number > 0 && <p class="muted thread-about">About <span class="mark-number">{number}</span></p>}
      <ol>{thread.said.map((one, at) => <li key={at}><strong>{visible(one.who) || "Somebody"}</strong> <span class="muted">{one.time ? age(one.time) : ""}</span><p>{visible(one.text)}</p></li>)}</ol>
      {!readOnly.value && (
        <form class="thread-acts" onSubmit={send}>
          <input class="reply" aria-label="Answer" placeholder="Answer" value={answer.value} onInput={(event) => (answer.value = event.currentTarget.value)} />
          <button type="submit" class="small" disabled={!answer.value.trim()}>Answer</button>
          <button type="button" class="quiet small" onClick={() => doing.resolve(path, thread.said[0]!.text)}>Resolve</button>
        </form>
      )}
    </section>
  );
}

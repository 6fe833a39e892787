// What one can do about a change, or about a write that waits.

import { useLayoutEffect, useRef } from "preact/hooks";

import { PERHAPS_REJECTED } from "../api.ts";
import { type Item, type ParkedWrite } from "../sets.ts";
import { readOnly } from "../store.ts";
import { age } from "../text/age.ts";
import { visible } from "../text/invisible.ts";
import type { Doing } from "./set_note.tsx";
import { Who } from "./diff.tsx";

interface Acting {
  readonly current: string;
  readonly asking: "" | "edit" | "comment" | "reason";
  readonly ask: (what: "" | "edit" | "comment" | "reason") => void;
  readonly numberOf: (key: string) => number;
  readonly total: number;
  readonly decided: ReadonlyMap<string, "accept" | "reject">;
  readonly doing: Doing;
}

export function ChangeActs({ item, start, says, current, asking, ask, numberOf, total, doing }: Acting & { item: Item; start: number; says: string }) {
  const here = current === item.key;
  const { change } = item;
  if (!change) return null;
  const wish = (what: "edit" | "comment" | "reason") => () => { doing.go(item.key); ask(asking === what && here ? "" : what); };
  return (
    <div class={`acts-row${here ? " current" : ""}`} id={`change-${item.key}`} role="group" aria-label={`Change ${numberOf(item.key)} of ${total}: ${says}`} data-key={item.key} data-start={start}>
      <span class="acts-who"><span class="mark-number">{numberOf(item.key)}</span><Who name={change.author} /> <span class="muted">{change.time === null ? "" : age(change.time)}</span>{change.perhaps_rejected && <span class="doubt">{PERHAPS_REJECTED}</span>}</span>
      <span class="grow" />
      <button type="button" class="quiet small" onClick={() => doing.open(item, start)}>Open</button>
      {!readOnly.value && (
        <>
          <button type="button" class="quiet small" aria-pressed={here && asking === "comment"} onClick={wish("comment")}>Comment</button>
          <button type="button" class="quiet small" aria-pressed={here && asking === "edit"} onClick={wish("edit")}>Edit</button>
          <button type="button" class="small accept" onClick={() => doing.decide("accept", [item])}>Accept</button>
          <button type="button" class="small reject" onClick={() => doing.decide("reject", [item])}>Reject</button>
        </>
      )}
      {here && asking === "edit" && <Answer label="Accept with these words" text={change.new} send="Accept" done={(words) => { ask(""); doing.decide("accept", [item], words); }} stop={() => ask("")} />}
      {here && asking === "comment" && <Answer label="Comment, kept in the note for everybody" text="" send="Comment" done={(words) => { ask(""); doing.comment(item, words); }} stop={() => ask("")} />}
      {here && asking === "reason" && <Answer label="Why is this rejected? The assistant is told" text="" send="Reject" done={(words) => { ask(""); doing.decide("reject", [item], undefined, words); }} stop={() => ask("")} />}
    </div>
  );
}

let early = "";

/** Letters typed while an answer is asked for belong to it, also before its field is there. */
export function typeOn(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLTextAreaElement>(".answer textarea");
  if (field) return field.focus();
  event.preventDefault();
  event.stopPropagation();
  if (event.key.length === 1) early += event.key;
}

function Answer({ label, text, send, done, stop }: { label: string; text: string; send: string; done: (text: string) => void; stop: () => void }) {
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    box.current!.value = text + early;
    early = "";
    box.current!.focus();
    box.current!.setSelectionRange(box.current!.value.length, box.current!.value.length);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") stop();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey || (!event.shiftKey && send !== "Accept"))) done(box.current!.value);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="answer">
      <textarea ref={box} aria-label={label} placeholder={label} rows={Math.min(12, Math.max(2, text.split("\n").length + 1))} onKeyDown={onKeyDown} />
      <div class="answer-acts">
        <button type="button" class="small" onClick={() => done(box.current!.value)}>{send}</button>
        <button type="button" class="quiet small" onClick={stop}>Cancel</button>
        <span class="muted small">{send === "Accept" ? "Ctrl Enter accepts, Escape goes back" : "Enter sends, Escape goes back"}</span>
      </div>
    </div>
  );
}

const VERBS: Record<ParkedWrite["operation"], string> = { create: "Creates this note", update: "Rewrites this note", delete: "Deletes this note; it goes to the trash", rename: "Renames this note" };

export function WriteCard({ item, write, current, asking, ask, numberOf, total, decided, doing }: Acting & { item: Item | undefined; write: ParkedWrite }) {
  if (!item) return null;
  const verdict = decided.get(item.key);
  const here = current === item.key;
  const what = write.to ? `Renames this note to ${write.to}` : VERBS[write.operation];
  return (
    <div class="card write" data-change={`w${write.id}`}>
      <p class="write-what">{visible(what)}</p>
      {write.operation !== "create" && <p class="muted">{visible(write.summary)}</p>}
      {write.text !== null && write.operation === "create" ? <pre class="whole-text"><ins>{visible(write.text)}</ins></pre> : write.diff && <DiffText text={write.diff} />}
      {verdict ? <p class="muted">{verdict === "accept" ? "Accepted" : "Rejected"}</p> : (
        <div class={`acts-row${here ? " current" : ""}`} id={`change-${item.key}`} role="group" aria-label={`Change ${numberOf(item.key)} of ${total}: ${what}`} data-key={item.key}>
          <span class="acts-who"><span class="mark-number">{numberOf(item.key)}</span><Who name={write.who} /> <span class="muted">{age(write.time)} · waits for your answer</span></span>
          <span class="grow" />
          {!readOnly.value && <button type="button" class="small accept" onClick={() => doing.decide("accept", [item])}>Accept</button>}
          {!readOnly.value && <button type="button" class="small reject" onClick={() => doing.decide("reject", [item])}>Reject</button>}
          {here && asking === "reason" && <Answer label="Why is this rejected? The assistant is told" text="" send="Reject" done={(words) => { ask(""); doing.decide("reject", [item], undefined, words); }} stop={() => ask("")} />}
        </div>
      )}
    </div>
  );
}

function DiffText({ text }: { text: string }) {
  return (
    <pre class="diff-text whole" aria-label="What would change">
      {text.split("\n").map((line, at) => <span key={at} class={line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : line.startsWith("@@") ? "place" : ""}>{visible(line)}{"\n"}</span>)}
    </pre>
  );
}

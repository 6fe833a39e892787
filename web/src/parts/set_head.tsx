// What stands above and below the notes of a change set: its title and why, what is risky, how it ended.

import { useSignal } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { hrefOfTalk } from "../agent.ts";
import { hrefOfSet, listSets, riskOf, type SetDetail, type SetSummary, titleOf } from "../sets.ts";
import { readOnly } from "../store.ts";
import { age } from "../text/age.ts";
import { visible } from "../text/invisible.ts";
import { nameOf } from "../text/paths.ts";
import { spoken } from "../text/spoken.ts";

interface HeadProps {
  readonly set: SetSummary;
  readonly change: (name: string, wish: object) => Promise<void>;
  readonly naming: boolean;
  readonly name: (now: boolean) => void;
  readonly merge: () => void;
}

export function Head({ set, change, naming, name, merge }: HeadProps) {
  const rename = (title: string) => { name(false); if (title.trim() && title !== titleOf(set)) void change(`sets/${set.number}/rename`, { title }); };
  const arranged = !readOnly.value && set.number > 0;
  return (
    <header class="set-head">
      {naming ? <Title title={titleOf(set)} done={rename} stop={() => name(false)} /> : <h1>{visible(titleOf(set))}</h1>}
      <p class="muted">
        {set.who && <strong>{visible(set.who)}</strong>} {set.number > 0 && <>set {set.number} · </>}{set.last ? age(set.last) : ""} · <Size set={set} /> <span class="badge">{set.sent_back ? "waits for the assistant" : set.state}</span>
        {arranged && !naming && <button type="button" class="quiet small" onClick={() => name(true)}>Rename</button>}
        {arranged && <button type="button" class="quiet small" onClick={merge}>Merge</button>}
        {!readOnly.value && set.conversation && <a class="link" href={hrefOfTalk(set.conversation)}>Conversation</a>}
        {arranged && set.waiting > 0 && <button type="button" class="quiet small" onClick={() => void change(`sets/${set.number}/send_back`, { reason: set.sent_back ? "" : "Please look at the comments." })}>{set.sent_back ? "Take back “send back”" : "Send back"}</button>}
      </p>
      {set.why && <p class="why">{visible(set.why)}</p>}
      {set.sent_back && <p class="muted">Sent back: {visible(set.sent_back)}</p>}
    </header>
  );
}

/** A field for the title: Enter or leaving it takes the new one, Escape keeps the old one. */
function Title({ title, done, stop }: { title: string; done: (title: string) => void; stop: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useEffect(() => field.current?.select(), []);
  // The field is left, too, when it goes.
  const end = (then: () => void) => { if (!over.current) { over.current = true; then(); } };
  const onKeyDown = ({ key, currentTarget }: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (key === "Enter") end(() => done(currentTarget.value));
    if (key === "Escape") end(stop);
  };
  return <input ref={field} class="set-title" aria-label="Title" defaultValue={title} onKeyDown={onKeyDown} onBlur={({ currentTarget }) => end(() => done(currentTarget.value))} />;
}

/** Which set this one is to be put together with. */
export function Merge({ sets, choose, stop }: { sets: readonly SetSummary[]; choose: (number: number) => void; stop: () => void }) {
  const chosen = useSignal(sets[0]!.number);
  const field = useRef<HTMLSelectElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form class="merge" aria-label="Merge with another set" onSubmit={(event) => { event.preventDefault(); choose(chosen.peek()); }} onKeyDown={(event) => { if (event.key === "Escape") { event.stopPropagation(); stop(); } }}>
      <label>Take in all of <select ref={field} value={chosen.value} onChange={(event) => (chosen.value = Number(event.currentTarget.value))}>{sets.map((one) => <option key={one.number} value={one.number}>{`${one.number}: ${titleOf(one)}`}</option>)}</select></label>
      <button type="submit" class="small">Merge</button>
      <button type="button" class="quiet small" onClick={stop}>Cancel</button>
    </form>
  );
}

export function Size({ set }: { set: SetSummary }) {
  return <span class="size">{set.notes === 1 ? "1 note" : `${set.notes.toLocaleString()} notes`}{set.waiting > 0 && <> <ins>+{set.added.toLocaleString()}</ins> <del>−{set.removed.toLocaleString()}</del> words</>}</span>;
}

export function Risky({ detail, go }: { detail: SetDetail; go: (path: string) => void }) {
  const risky = detail.notes.filter(({ risks }) => risks.length);
  if (!risky.length) return null;
  return (
    <section class="risky" aria-label="Look at this first">
      <h2>Look at this first</h2>
      <ul>{risky.map(({ path, risks }) => <li key={path}><button type="button" class="link" onClick={() => go(path)}>{nameOf(path)}</button> {visible(risks.map(riskOf).join("; "))}</li>)}</ul>
    </section>
  );
}

export function AllDecided({ set }: { set: SetSummary }) {
  const next = useSignal<SetSummary | null>(null);
  useEffect(() => void listSets().then(({ sets }) => (next.value = sets.find((one) => one.waiting && one.number !== set.number) ?? null), () => undefined), []);
  return (
    <div class="calm">
      <p class="calm-mark" aria-hidden="true">✓</p>
      <p>Everything in this set is decided.</p>
      {next.value ? <p><a class="link" href={hrefOfSet(next.value.number)}>Next: {visible(titleOf(next.value))}</a></p> : <p><a class="link" href="#review">Back to the list</a></p>}
    </div>
  );
}

const ENDS: Record<string, string> = { accept: "accepted", reject: "rejected" };

export function Before({ detail }: { detail: SetDetail }) {
  const { ended, done } = detail;
  if (!ended.length && !done.length) return null;
  return (
    <details class="before">
      <summary>{(ended.length + done.length).toLocaleString()} decided or done already</summary>
      <ul>
        {done.map((one) => <li key={`done-${one.id}`}><span class="muted">done under your settings</span> {one.operation} {one.path}</li>)}
        {ended.map((one, at) => <li key={at}><span class="muted">{ENDS[one.decision] ?? one.decision} by {visible(one.who)}</span> {nameOf(one.path)}: {spoken(one.old, one.new)}{one.reason && <em> {visible(one.reason)}</em>}</li>)}
      </ul>
    </details>
  );
}

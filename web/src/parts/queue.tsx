// The review queue: everything pending in the vault, filtered, chosen, decided; live.

import { effect, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { ApiError, get, Missing, type Pending, PERHAPS_REJECTED } from "../api.ts";
import { returned, reviewed } from "../events.ts";
import { decide, type Decision, tellHidden } from "../review.ts";
import { complain, hrefOf, notes, open, readOnly } from "../store.ts";
import { age } from "../text/age.ts";
import { isLong } from "../text/folded.ts";
import { visible } from "../text/invisible.ts";
import { folderOf, nameOf } from "../text/paths.ts";
import { Stretches, Unfold, useWhole, Who } from "./diff.tsx";
import { TallRows } from "./tall_rows.tsx";

const PAGE = 200;
const PAGE_MAX = 1000;
const DAY = 86_400_000;
const AGES: readonly [label: string, days: number][] = [["any age", 0], ["over a day old", 1], ["over a week old", 7], ["over a month old", 30]];

interface Filter {
  author: string;
  folder: string;
  kind: string;
  days: number;
}

const keyOf = (one: Pending) => `${one.path}\0${one.id}`;
const isTwin = (one: Pending, other: Pending) => one.path === other.path && one.old === other.old && one.new === other.new;

// Kept while one looks at a note: back, one is where one was.
const filter = signal<Filter>({ author: "", folder: "", kind: "", days: 0 });
const at = signal(0);

export function Queue() {
  const rows = useSignal<readonly Pending[]>([]);
  const total = useSignal<number | null>(null);
  const cursor = useSignal<string | number | null>(null);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const reason = useSignal("");
  /** The long suggestions that were shown whole. */
  const seen = useSignal<ReadonlySet<string>>(new Set());
  const see = (which: readonly Pending[]) => (seen.value = new Set([...seen.peek(), ...which.map(keyOf)]));
  const authors = useSignal<ReadonlySet<string>>(new Set());
  const missing = useSignal(false);
  const away = useSignal(false);
  const asking = useRef(0);

  const load = async (more: boolean) => {
    const turn = ++asking.current;
    const { days, ...wanted } = filter.peek();
    const limit = more ? PAGE : Math.min(PAGE_MAX, Math.max(PAGE, rows.peek().length, at.peek() + 1));
    try {
      const before = days ? Date.now() - days * DAY : undefined;
      const found = await get("suggestions", { ...wanted, before, limit, cursor: more ? (cursor.peek() ?? undefined) : undefined });
      if (turn !== asking.current) return;
      away.value = false;
      rows.value = more ? [...rows.peek(), ...found.suggestions] : found.suggestions;
      total.value = found.total;
      cursor.value = found.cursor;
      authors.value = new Set([...authors.peek(), ...found.suggestions.flatMap((one) => (one.author ? [one.author] : []))]);
    } catch (error) {
      if (error instanceof Missing) missing.value = true;
      else if (error instanceof ApiError) complain(error);
      else away.value = true;
    }
  };
  useSignalEffect(() => {
    void filter.value;
    void returned.value;
    void load(false);
  });
  useEffect(() => {
    let timer = 0;
    const stop = effect(() => {
      if (reviewed.value) timer ||= window.setTimeout(() => { timer = 0; void load(false); }, 120);
    });
    return () => { stop(); clearTimeout(timer); };
  }, []);

  // The keys of the list work at once, wherever one came from.
  const ready = rows.value.length > 0;
  useEffect(() => {
    if (ready && !document.activeElement?.closest("main, dialog")) document.querySelector<HTMLElement>(".queue-rows")?.focus();
  }, [ready]);

  const picked = useComputed(() => rows.value.filter((one) => chosen.value.has(keyOf(one))));
  const settled = useRef(Promise.resolve());
  // One after another: deciding one of several like suggestions gives the others new names.
  const act = (decision: Decision, which: () => readonly Pending[]) => (settled.current = settled.current.then(() => actNow(decision, which())));
  const actNow = async (decision: Decision, which: readonly Pending[]) => {
    if (!which.length || readOnly.peek()) return;
    const hidden = decision === "accept" ? which.filter((one) => !seen.peek().has(keyOf(one)) && isLong(one.old, one.new)) : [];
    if (hidden.length) {
      see(hidden);
      return tellHidden(hidden.length);
    }
    const done = await decide(decision, { suggestions: which.map(({ path, id }) => ({ path, id })) }, reason.peek());
    if (!done) return load(false);
    const gone = new Set(done.decided.map(({ path, id }) => `${path}\0${id}`));
    rows.value = rows.peek().filter((one) => !gone.has(keyOf(one)));
    total.value = Math.max(0, (total.peek() ?? 0) - gone.size);
    chosen.value = new Set();
    reason.value = "";
    if (rows.peek().some((one) => which.some((other) => isTwin(one, other)))) await load(false);
  };
  const here = () => (picked.peek().length ? picked.peek() : rows.peek().slice(Math.min(at.peek(), rows.peek().length - 1)).slice(0, 1));
  const pick = (one: Pending) => {
    const next = new Set(chosen.peek());
    if (!next.delete(keyOf(one))) next.add(keyOf(one));
    chosen.value = next;
  };
  const current = Math.min(at.value, rows.value.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const one = rows.value[current];
    if (event.ctrlKey || event.metaKey || event.altKey || (event.target as Element).closest("button, a, input")) return;
    const doing: Record<string, () => void> = {
      ArrowDown: () => (at.value = Math.min(rows.value.length - 1, current + 1)), j: () => (at.value = Math.min(rows.value.length - 1, current + 1)),
      ArrowUp: () => (at.value = Math.max(0, current - 1)), k: () => (at.value = Math.max(0, current - 1)),
      " ": () => one && pick(one), x: () => one && pick(one), Enter: () => one && open(one.path, `~!${one.id}`),
      a: () => void act("accept", here),
      r: () => void act("reject", here),
    };
    if (!doing[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    doing[event.key]!();
  };
  if (missing.value) return <main class="view"><h1>Review</h1><p class="empty">This server cannot list suggestions yet.</p></main>;
  const all = rows.value.length > 0 && picked.value.length === rows.value.length;
  return (
    <main class="view queue" tabIndex={-1}>
      <header class="view-head">
        <h1><a href="#review">Review</a> one by one</h1>
        <p class="muted" role="status">{away.value ? "The server cannot be reached. This goes on by itself when it is back." : total.value === null ? "Loading" : total.value === 1 ? "1 suggestion waits" : `${total.value.toLocaleString()} suggestions wait`}</p>
      </header>
      <Filters filter={filter.value} authors={[...authors.value].sort()} change={(next) => { filter.value = { ...filter.peek(), ...next }; chosen.value = new Set(); at.value = 0; }} />
      {total.value === 0 ? <AllDone filtered={Object.values(filter.value).some(Boolean)} /> : (
        <>
          {!readOnly.value && <div class="bulk">
            <label class="check"><input type="checkbox" checked={all} onChange={() => (chosen.value = all ? new Set() : new Set(rows.value.map(keyOf)))} /> {picked.value.length ? `${picked.value.length.toLocaleString()} chosen` : "Choose all"}</label>
            <input class="reason" placeholder="Reason for the assistant (optional)" aria-label="Reason for the assistant (optional)" value={reason.value} onInput={(event) => (reason.value = event.currentTarget.value)} />
            <button type="button" class="accept" disabled={!picked.value.length} onClick={() => void act("accept", () => picked.peek())}>Accept</button>
            <button type="button" class="reject" disabled={!picked.value.length} onClick={() => void act("reject", () => picked.peek())}>Reject</button>
          </div>}
          <TallRows count={rows.value.length} label="Suggestions" role="grid" multi class="queue-rows" current={current} onKeyDown={onKeyDown}
            active={rows.value.length ? `pending-${current}` : undefined} onEnd={() => cursor.value !== null && void load(true)}
            row={(index) => {
              const one = rows.value[index]!;
              return <QueueRow key={keyOf(one)} one={one} index={index} current={index === current} chosen={chosen.value.has(keyOf(one))}
                seen={seen.value.has(keyOf(one))} see={() => see([one])} pick={() => { at.value = index; pick(one); }} act={(decision) => { at.value = index; void act(decision, () => [one]); }} />;
            }} />
        </>
      )}
    </main>
  );
}

function Filters({ filter, authors, change }: { filter: Filter; authors: string[]; change: (next: Partial<Filter>) => void }) {
  const folders = useComputed(() => [...new Set((notes.value ?? []).filter((note) => note.pending).map((note) => folderOf(note.path)))].filter(Boolean).sort());
  return (
    <div class="filters" role="group" aria-label="Filters">
      <select aria-label="Author" value={filter.author} onChange={(event) => change({ author: event.currentTarget.value })}>
        <option value="">all authors</option>{authors.map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
      <select aria-label="Folder" value={filter.folder} onChange={(event) => change({ folder: event.currentTarget.value })}>
        <option value="">all folders</option>{folders.value.map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
      <select aria-label="Kind" value={filter.kind} onChange={(event) => change({ kind: event.currentTarget.value })}>
        <option value="">all kinds</option><option value="insert">insertions</option><option value="delete">deletions</option><option value="replace">replacements</option>
      </select>
      <select aria-label="Age" value={String(filter.days)} onChange={(event) => change({ days: Number(event.currentTarget.value) })}>
        {AGES.map(([label, days]) => <option key={days} value={String(days)}>{label}</option>)}
      </select>
    </div>
  );
}

interface RowProps {
  one: Pending;
  index: number;
  current: boolean;
  chosen: boolean;
  seen: boolean;
  see: () => void;
  pick: () => void;
  act: (decision: Decision) => void;
}

function QueueRow({ one, index, current, chosen, seen, see, pick, act }: RowProps) {
  const { stretches, hidden } = useWhole(one.old, one.new, seen);
  return (
    <div id={`pending-${index}`} role="row" aria-selected={chosen} class={`queue-row${current ? " current" : ""}${chosen ? " chosen" : ""}`}>
      <div role="gridcell" class="pick"><input type="checkbox" checked={chosen} tabIndex={-1} aria-label={`Choose the suggestion in ${nameOf(one.path)}, line ${one.line}`} onChange={pick} /></div>
      <div role="gridcell" class="what">
        <div class="where"><a href={hrefOf(one.path, `~!${one.id}`)} tabIndex={-1}>{nameOf(one.path)}</a><span class="muted"> {folderOf(one.path)} · line {one.line}</span></div>
        <div class="change"><span class="muted">{visible(one.before)}</span><Stretches stretches={stretches} />{!hidden && <span class="muted">{visible(one.after)}</span>}</div>
        <Unfold hidden={hidden} see={see} />
      </div>
      <div role="gridcell" class="by"><Who name={one.author} /><span class="muted">{one.time === null ? "" : age(one.time)}</span>{one.perhaps_rejected && <span class="doubt">{PERHAPS_REJECTED}</span>}</div>
      <div role="gridcell" class="acts">
        {!readOnly.value && <button type="button" class="small accept" tabIndex={-1} onClick={() => act("accept")}>Accept</button>}
        {!readOnly.value && <button type="button" class="small reject" tabIndex={-1} onClick={() => act("reject")}>Reject</button>}
      </div>
    </div>
  );
}

function AllDone({ filtered }: { filtered: boolean }) {
  return (
    <div class="calm">
      <p class="calm-mark" aria-hidden="true">✓</p>
      <p>{filtered ? "Nothing waits that fits these filters." : "Nothing waits for you."}</p>
      <p class="muted">Suggestions of assistants and people appear here as they are made.</p>
    </div>
  );
}

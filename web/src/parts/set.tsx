// A change set: why, what is risky, then note by note the whole change; decided by keys or buttons.

import { effect, useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { hrefOfTalk, sendVerdicts } from "../agent.ts";
import { ApiError, post } from "../api.ts";
import { arranged, returned, reviewed, touched } from "../events.ts";
import { inTurn } from "../in_turn.ts";
import { keptAs } from "../place.ts";
import { decideItems, follow, type Following, foundAgain, hrefOfSet, type Item, itemsOf, itemsOfNote, listSets, loadSet, type SetDetail, type SetSummary, titleOf } from "../sets.ts";
import { complain, dialog, letterKeys, open, readOnly, tell } from "../store.ts";
import { nameOf } from "../text/paths.ts";
import { spoken } from "../text/spoken.ts";
import { hidesLines } from "./passage.tsx";
import { typeOn } from "./set_acts.tsx";
import { AllDecided, Before, Head, Merge, Risky } from "./set_head.tsx";
import { type Doing, NoteOfSet } from "./set_note.tsx";

type Verdict = "accept" | "reject";
type Asking = "" | "edit" | "comment" | "reason";

const RELOAD_MS = 150;
// A few files are there before one has read that they follow.
const FOLLOWED_MIN = 5;
const KEYS = "J and K go to the next and previous change, [ and ] to the next and previous note; A accepts, R rejects, E edits and accepts, W rejects with a reason, C comments, U undoes; F sends the agent what you decided and remarked; Enter opens the note; Shift A and Shift R decide the rest of the note; V marks it as viewed, B shows old and new beside each other; S makes a set of its own of the note, M merges this set with another, T gives it a title.";

export function SetView({ number, change }: { number: number; change: string }) {
  const detail = useSignal<SetDetail | null>(null);
  const missing = useSignal("");
  const decided = useSignal<ReadonlyMap<string, Verdict>>(new Map());
  const current = useSignal(change);
  const asking = useSignal<Asking>("");
  const seen = useSignal<ReadonlySet<string>>(new Set());
  const viewed = useSignal<ReadonlySet<string>>(new Set(kept(`viewed-${number}`)));
  const beside = useSignal(kept("beside")[0] === "yes");
  const reason = useSignal("");
  const said = useSignal("");
  const versions = useSignal<ReadonlyMap<string, number>>(new Map());
  const chain = useRef(Promise.resolve());
  const box = useRef<HTMLElement>(null);
  const follows = useRef(change !== "");

  const items = useComputed(() => itemsOf(detail.value?.notes ?? []));
  const naming = useSignal(false);
  const merging = useSignal<readonly SetSummary[] | null>(null);
  const left = useComputed(() => items.value.filter(({ key }) => !decided.value.has(key)));

  const loadNow = async () => {
    try {
      const found = await loadSet(number, detail.peek());
      const there = new Set(itemsOf(found.notes).map(({ key }) => key));
      detail.value = found;
      decided.value = new Map([...decided.peek()].filter(([key]) => there.has(key) && pending.peek() > 0));
      if (!there.has(current.peek())) go(nextKey(current.peek()) ?? left.peek()[0]?.key ?? "", false);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) missing.value = error.message;
      else complain(error);
    }
  };
  const now = useRef(loadNow);
  now.current = loadNow;
  const load = useMemo(() => inTurn(() => now.current()), [number]);
  /** How many decisions are under way: they are on record first, and then carried out. */
  const pending = useSignal(0);
  /** What is yet to follow of the last one, once it is on record. */
  const behind = useSignal<Following | null>(null);
  const timer = useRef(0);
  const reload = () => { timer.current ||= window.setTimeout(() => { timer.current = 0; if (!pending.peek()) void load(); }, RELOAD_MS); };
  useEffect(() => {
    const stop = effect(() => {
      void [returned.value, arranged.value];
      if (reviewed.value) {
        versions.value = new Map([...versions.peek(), ...touched.peek().map((path) => [path, (versions.peek().get(path) ?? 0) + 1] as const)]);
      }
      reload();
    });
    return () => { stop(); clearTimeout(timer.current); };
  }, [number]);
  useEffect(() => { if (change && change !== current.peek()) go(change); }, [change]);
  useEffect(() => { if (detail.value && change) requestAnimationFrame(() => bring(change)); }, [detail.value === null]);
  // What is decided above goes, and notes are drawn as they come near: the current change stays where
  // one can see it, until one scrolls away from it.
  useEffect(() => {
    const view = box.current;
    if (!view) return;
    const letGo = () => { follows.current = false; };
    const drawn = new MutationObserver(() => requestAnimationFrame(() => { if (follows.current) bring(current.peek()); }));
    drawn.observe(view, { childList: true, subtree: true });
    for (const moved of ["wheel", "touchmove"]) view.addEventListener(moved, letGo, { passive: true });
    return () => {
      drawn.disconnect();
      for (const moved of ["wheel", "touchmove"]) view.removeEventListener(moved, letGo);
    };
  }, [detail.value === null]);

  const nextKey = (key: string): string | undefined => {
    const [all, at] = [items.peek(), items.peek().findIndex((item) => item.key === key)];
    return [...all.slice(at + 1), ...all.slice(0, Math.max(0, at))].find((item) => !decided.peek().has(item.key))?.key;
  };
  const go = (key: string, show = true) => {
    if (!key) return;
    if (key !== current.peek()) asking.value = "";
    current.value = key;
    follows.current ||= show;
    history.replaceState(null, "", hrefOfSet(number, key));
    if (show) requestAnimationFrame(() => bring(key));
    const item = items.peek().find((each) => each.key === key);
    if (item) said.value = `Change ${items.peek().indexOf(item) + 1} of ${items.peek().length}, ${nameOf(item.path)}: ${item.change ? spoken(item.change.old, item.change.new) : item.write.summary}`;
  };

  // One after another: deciding one of several like suggestions gives the others new names.
  const decide: Doing["decide"] = (verdict, wanted, words, why) => {
    const chosen = wanted.filter(({ key }) => !decided.peek().has(key));
    if (!chosen.length || readOnly.peek()) return;
    const hidden = chosen.filter(({ key, change: one }) => verdict === "accept" && one && !seen.peek().has(key) && hidesLines(one));
    if (hidden.length) {
      seen.value = new Set([...seen.peek(), ...hidden.map(({ key }) => key)]);
      go(hidden[0]!.key);
      tell(hidden.length === 1 ? "Some lines of this change were hidden. They are shown now: look, then accept." : `Some lines of ${hidden.length} changes were hidden. They are shown now: look, then accept.`);
      return;
    }
    const before = left.peek();
    const last = chosen.at(-1)!;
    decided.value = new Map([...decided.peek(), ...chosen.map(({ key }) => [key, verdict] as const)]);
    const following = nextKey(last.key);
    if (following) go(following);
    pending.value++;
    chain.current = chain.current.then(async () => {
      try {
        const now = detail.peek() ? itemsOf(detail.peek()!.notes) : [];
        const meant = chosen.map((one) => foundAgain(one, before, now) ?? one);
        const twins = meant.some(({ change: one }) => one?.id.includes("-"));
        const done = await decideItems(number, verdict, meant, why ?? reason.peek(), !twins, words);
        said.value = `${verdict === "accept" ? "Accepted" : "Rejected"} ${done.decision.count}. ${left.peek().length} left.`;
        const show = (now: Following | null) => { behind.value = now; };
        const files = await follow(number, done.following, show, (now) => now.carried_out);
        if (files.notes > FOLLOWED_MIN) void follow(number, files, show, (now) => !now.notes).catch(() => {}).finally(() => show(null));
        else show(null);
        if (twins) await load();
      } catch (error) {
        complain(error);
        behind.value = null;
        decided.value = new Map([...decided.peek()].filter(([key]) => !chosen.some((one) => one.key === key)));
        pending.value--;
        return void load();
      }
      pending.value--;
      for (const path of new Set(chosen.map((one) => one.path))) versions.value = new Map([...versions.peek(), [path, (versions.peek().get(path) ?? 0) + 1]]);
      reload();
    });
  };
  const undo = () => {
    chain.current = chain.current.then(async () => {
      try {
        const { undone } = await post<{ undone: { count: number } }>(`sets/${number}/undo`, {});
        said.value = undone.count === 1 ? "One decision undone." : `${undone.count} decisions undone.`;
        tell(said.value);
        decided.value = new Map();
        versions.value = new Map((detail.peek()?.notes ?? []).map(({ path }) => [path, (versions.peek().get(path) ?? 0) + 1]));
        await load();
      } catch (error) { complain(error); }
    });
  };
  // After what is being decided: the agent is told of that too.
  const tellAgent = () => {
    const talk = detail.peek()?.set.conversation;
    if (talk && !readOnly.peek()) chain.current = chain.current.then(async () => { if (await sendVerdicts(talk, number)) location.hash = hrefOfTalk(talk); });
  };
  const openAt = (item: Item, start: number) => {
    history.replaceState(null, "", hrefOfSet(number, item.key));
    open(item.path, `~@${start}`);
  };
  const doing: Doing = {
    decide, go, open: openAt,
    see: (key) => (seen.value = new Set([...seen.peek(), key])),
    split: (path) => void change_(`sets/${number}/split`, { paths: [path] }),
    comment: (item, text) => void said_(item.path, post("comments", { path: item.path, id: item.change?.id, text }), "Your comment is in the note."),
    reply: (path, to, text) => void said_(path, post("comments", { path, reply: to, text }), "Your answer is in the note."),
    resolve: (path, text) => void said_(path, post("comments/resolve", { path, text }), "Resolved: it is out of the note."),
  };
  const said_ = async (path: string, sent: Promise<unknown>, then: string) => {
    try {
      await sent;
      tell(then);
      versions.value = new Map([...versions.peek(), [path, (versions.peek().get(path) ?? 0) + 1]]);
      await load();
    } catch (error) { complain(error); }
  };
  const merge = async () => {
    const mine = detail.peek()?.set;
    if (!mine?.number || readOnly.peek()) return;
    try {
      const { sets } = await listSets();
      const others = sets.filter((one) => one.number > 0 && one.number !== number && one.who === mine.who);
      if (!others.length) return tell(`There is no other set of ${mine.who}.`);
      merging.value = others;
    } catch (error) { complain(error); }
  };
  const split = (path: string | undefined) => {
    if (!path || readOnly.peek()) return;
    if ((detail.peek()?.notes.length ?? 0) < 2) return tell("This note is all of the set.");
    doing.split(path);
  };
  const change_ = async (name: string, wish: object) => {
    try {
      const { set } = await post<{ set: SetSummary }>(name, wish);
      if (set.number !== number) location.hash = hrefOfSet(set.number);
      await load();
    } catch (error) { complain(error); }
  };
  const view = (path: string, now: boolean) => {
    const next = new Set(viewed.peek());
    if (now) next.add(path); else next.delete(path);
    viewed.value = next;
    keep(`viewed-${number}`, [...next]);
  };
  const step = (by: number) => {
    const all = left.peek();
    const at = all.findIndex(({ key }) => key === current.peek());
    const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
    if (next) go(next.key);
  };
  const stepNote = (by: number) => {
    const here = items.peek().find(({ key }) => key === current.peek())?.path;
    const paths = [...new Set(left.peek().map(({ path }) => path))];
    const path = paths[Math.min(paths.length - 1, Math.max(0, paths.indexOf(here ?? "") + by))];
    const first = left.peek().find((item) => item.path === path);
    if (first) go(first.key);
  };
  const here = () => left.peek().find(({ key }) => key === current.peek());
  const rest = () => left.peek().filter(({ path }) => path === here()?.path);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.peek()) return;
      const target = event.target as HTMLElement;
      if (target.closest("input:not([type=checkbox]), textarea, select, .sidebar, [contenteditable]")) return;
      if (event.key === "Enter" && target.closest("button, a")) return;
      if (event.key.length === 1 && !letterKeys.peek() && !target.closest(".set-view")) return;
      if (asking.peek()) return void typeOn(event);
      const item = here();
      const act = (verdict: Verdict, which: () => readonly Item[]) => () => decide(verdict, which());
      const one = () => (item ? [item] : []);
      const keys: Record<string, () => void> = {
        j: () => step(1), n: () => step(1), ArrowDown: () => step(1), k: () => step(-1), p: () => step(-1), ArrowUp: () => step(-1),
        "]": () => stepNote(1), "[": () => stepNote(-1),
        a: act("accept", one), y: act("accept", one), r: act("reject", one), x: act("reject", one), A: act("accept", rest), R: act("reject", rest),
        e: () => item?.change && (asking.value = "edit"), c: () => item?.change && (asking.value = "comment"), w: () => item && (asking.value = "reason"),
        s: () => split(item?.path), m: () => void merge(), t: () => { if (number && !readOnly.peek()) naming.value = true; },
        u: undo, z: undo, f: tellAgent, b: () => (beside.value = !beside.peek()), v: () => item && view(item.path, !viewed.peek().has(item.path)),
        Enter: () => item && openAt(item, Number(document.getElementById(`change-${item.key}`)?.dataset["start"] ?? 0)),
      };
      const doNow = keys[event.key];
      if (!doNow) return;
      event.preventDefault();
      event.stopPropagation();
      doNow();
    };
    addEventListener("keydown", onKeyDown, true);
    return () => removeEventListener("keydown", onKeyDown, true);
  }, [number]);
  useEffect(() => keep("beside", [beside.value ? "yes" : "no"]), [beside.value]);
  useEffect(() => { if (detail.value && !document.activeElement?.closest("main, dialog")) box.current?.focus(); }, [detail.value === null]);

  if (missing.value) return <main class="view"><h1>Change set {number}</h1><p class="empty">{missing.value}</p></main>;
  if (!detail.value) return <main class="view" aria-busy="true"><p class="empty">Loading</p></main>;
  const { set, notes } = detail.value;
  let first = 1;
  const starts = notes.map((note) => { const start = first; first += itemsOfNote(note).length; return start; });
  return (
    <main ref={box} class="view set-view" tabIndex={-1} aria-label={titleOf(set)}>
      <Head set={set} change={change_} naming={naming.value} name={(now) => (naming.value = now)} merge={() => void merge()} />
      {merging.value && <Merge sets={merging.value} stop={() => (merging.value = null)} choose={(other) => { merging.value = null; void change_("sets/merge", { sets: [number, other] }); }} />}
      <Risky detail={detail.value} go={(path) => { const first = items.value.find((item) => item.path === path); if (first) go(first.key); }} />
      <div class="set-bar">
        <span class="muted">{left.value.length === 1 ? "1 change waits" : `${left.value.length.toLocaleString()} changes wait`}{whatFollows(pending.value, behind.value)}</span>
        <span class="grow" />
        <div class="segmented" role="group" aria-label="How changes are shown">
          <button type="button" aria-pressed={!beside.value} onClick={() => (beside.value = false)}>In line</button>
          <button type="button" aria-pressed={beside.value} onClick={() => (beside.value = true)}>Side by side</button>
        </div>
        {!readOnly.value && set.conversation && <button type="button" class="small" onClick={tellAgent}>Tell {set.who}</button>}
        {!readOnly.value && detail.value.decisions.length > 0 && <button type="button" class="small" onClick={undo}>Undo</button>}
        {!readOnly.value && left.value.length > 0 && (
          <>
            <input class="reason" placeholder="Reason for the assistant (optional)" aria-label="Reason for the assistant (optional)" value={reason.value} onInput={(event) => (reason.value = event.currentTarget.value)} />
            <button type="button" class="small accept" onClick={() => decide("accept", left.peek())}>Accept all {left.value.length.toLocaleString()}</button>
            <button type="button" class="small reject" onClick={() => decide("reject", left.peek())}>Reject all</button>
          </>
        )}
      </div>
      <p class="hidden" role="status" aria-live="polite">{said.value}</p>
      {notes.map((note, at) => (
        <NoteOfSet key={note.path} note={note} first={starts[at]!} total={items.value.length} single={notes.length < 2 || number === 0} version={versions.value.get(note.path) ?? 0}
          current={current.value} asking={asking.value} ask={(what) => (asking.value = what)}
          decided={decided.value} seen={seen.value} beside={beside.value} viewed={viewed.value.has(note.path)} view={(now) => view(note.path, now)} doing={doing} />
      ))}
      {!left.value.length && <AllDecided set={set} />}
      <Before detail={detail.value} />
      <p class="keys muted">{KEYS}</p>
    </main>
  );
}

/** Say how far a decision is: it is on record first, then in the notes, then in their files. */
function whatFollows(pending: number, following: Following | null): string {
  if (following?.carried_out && following.notes) return ` · decided; ${following.notes.toLocaleString()} ${following.notes === 1 ? "file follows" : "files follow"}`;
  if (following && !following.carried_out) return ` · decided, and on record; ${following.notes.toLocaleString()} ${following.notes === 1 ? "note follows" : "notes follow"}`;
  return pending > 0 ? " · deciding" : "";
}

/** Show a change whole, with what one can do about it. */
function bring(key: string): void {
  const acts = document.getElementById(`change-${key}`);
  const view = document.querySelector(".set-view");
  if (!acts || !view) {
    document.querySelector(`[data-path="${CSS.escape(key.slice(0, key.lastIndexOf("~")))}"]`)?.scrollIntoView({ block: "start" });
    return;
  }
  const id = key.slice(key.lastIndexOf("~") + 1);
  const mark = acts.closest(".card")?.querySelector(`[data-change="${CSS.escape(id)}"]`) ?? acts;
  const [top, bottom] = [mark.getBoundingClientRect().top, acts.getBoundingClientRect().bottom];
  const frame = view.getBoundingClientRect();
  const margin = 56;
  if (top < frame.top + margin || bottom - top > frame.height - margin) view.scrollTop += top - frame.top - margin - 24;
  else if (bottom > frame.bottom - 24) view.scrollTop += Math.min(bottom - frame.bottom + 24, top - frame.top - margin);
}

function kept(name: string): string[] {
  try {
    return (JSON.parse(localStorage.getItem(keptAs(name)) ?? "[]") as string[] | null) ?? [];
  } catch { return []; }
}

function keep(name: string, values: readonly string[]): void {
  localStorage.setItem(keptAs(name), JSON.stringify(values));
}

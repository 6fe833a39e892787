// One note of a change set: what is risky in it, and every change of it, whole.

import { useSignal } from "@preact/signals";
import { Component } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { get, maybe } from "../api.ts";
import { returned } from "../events.ts";
import { type Item, itemsOfNote, keyOfChange, keyOfWrite, riskOf, type SetNote } from "../sets.ts";
import { hrefOf, readOnly } from "../store.ts";
import { visible } from "../text/invisible.ts";
import { blocksOf, isFold } from "../text/passages.ts";
import { folderOf, nameOf } from "../text/paths.ts";
import { spoken } from "../text/spoken.ts";
import { ChangeActs, WriteCard } from "./set_acts.tsx";
import { Folded, PassageText } from "./passage.tsx";
import { Threaded } from "./thread.tsx";

export interface Doing {
  readonly decide: (decision: "accept" | "reject", items: readonly Item[], words?: string, reason?: string) => void;
  readonly go: (key: string) => void;
  readonly open: (item: Item, start: number) => void;
  readonly see: (key: string) => void;
  readonly split: (path: string) => void;
  readonly comment: (item: Item, text: string) => void;
  readonly reply: (path: string, to: string, text: string) => void;
  readonly resolve: (path: string, text: string) => void;
}

interface Props {
  readonly note: SetNote;
  /** The number of its first change in the set. */
  readonly first: number;
  readonly version: number;
  readonly current: string;
  readonly asking: "" | "edit" | "comment" | "reason";
  readonly ask: (what: "" | "edit" | "comment" | "reason") => void;
  readonly total: number;
  readonly decided: ReadonlyMap<string, "accept" | "reject">;
  readonly seen: ReadonlySet<string>;
  readonly beside: boolean;
  readonly single: boolean;
  readonly viewed: boolean;
  readonly view: (viewed: boolean) => void;
  readonly doing: Doing;
}

const NEAR = "1200px";

/** Drawn again only if something about this very note changed: a set may have hundreds of them. */
export class NoteOfSet extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    return next.note !== this.props.note || lookOf(next) !== lookOf(this.props);
  }

  override render() {
    return <Drawn {...this.props} />;
  }
}

/** All but the note itself that decides how it looks. */
function lookOf({ note, first, total, version, current, asking, decided, seen, beside, single, viewed }: Props): string {
  const keys = itemsOfNote(note).map(({ key }) => key);
  const here = keys.includes(current) ? [current, asking] : [];
  return JSON.stringify([first, total, version, here, keys.map((key) => decided.get(key) ?? ""), keys.map((key) => seen.has(key)), beside, single, viewed]);
}

function Drawn({ note, first, version, viewed, view, single, ...given }: Props) {
  const { path } = note;
  const items = itemsOfNote(note);
  const numberOf = (key: string) => first + items.findIndex((item) => item.key === key);
  const rest = { ...given, numberOf };
  const box = useRef<HTMLElement>(null);
  const near = useSignal(false);
  const text = useSignal<string | null>(null);
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => { if (entries.some((each) => each.isIntersecting)) near.value = true; }, { rootMargin: NEAR });
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (!near.value || !note.changes.length) return undefined;
    let over = false;
    void maybe(get("note", { path })).then((found) => { if (found && !over) text.value = found.text; });
    return () => { over = true; };
  }, [near.value, version, path, note.changes.length, returned.value]);
  const mine = items.filter((item) => !rest.decided.has(item.key));
  const isCurrent = items.some(({ key }) => key === rest.current);
  return (
    <section ref={box} class={`set-note${isCurrent ? " here" : ""}`} aria-label={path} data-path={path}>
      <header class="set-note-head">
        <h2><a href={hrefOf(path)}>{nameOf(path)}</a> <span class="muted">{folderOf(path)}</span></h2>
        {!readOnly.value && mine.length > 1 && <button type="button" class="small accept" onClick={() => rest.doing.decide("accept", mine)}>Accept {mine.length}</button>}
        {!readOnly.value && mine.length > 1 && <button type="button" class="small reject" onClick={() => rest.doing.decide("reject", mine)}>Reject {mine.length}</button>}
        {!readOnly.value && !single && <button type="button" class="quiet small" title="Make a set of its own of this note (S)" onClick={() => rest.doing.split(path)}>Split off</button>}
        <label class="viewed"><input type="checkbox" checked={viewed} onChange={() => view(!viewed)} /> Viewed</label>
      </header>
      {note.risks.length > 0 && <ul class="risks" aria-label="Look at this first">{note.risks.map((risk) => <li key={risk.kind}>{visible(riskOf(risk))}</li>)}</ul>}
      {!viewed && note.writes.map((write) => <WriteCard key={write.id} item={items.find(({ key }) => key === keyOfWrite(path, write.id))} write={write} {...rest} />)}
      {!viewed && note.changes.length > 0 && (text.value === null ? <Waiting note={note} /> : <Changes text={text.value} note={note} items={items} {...rest} />)}
      {!viewed && note.threads.filter(({ change }) => !note.changes.some(({ id }) => id === change)).map((thread) => <Threaded key={thread.said[0]!.text} path={path} thread={thread} number={0} doing={rest.doing} />)}
    </section>
  );
}

type ChangesProps = Omit<Props, "first" | "version" | "viewed" | "view" | "single"> & { readonly text: string; readonly items: readonly Item[]; readonly numberOf: (key: string) => number };

function Changes({ text, note, items, beside, ...rest }: ChangesProps) {
  const { path, changes } = note;
  const wanted = changes.map(({ id }) => id).join(" ");
  const blocks = useMemo(() => blocksOf(text, new Set(changes.map(({ id }) => id))), [text, wanted]);
  const keyOf = (id: string) => keyOfChange(path, id);
  const shown = {
    number: (id: string) => rest.numberOf(keyOf(id)),
    current: rest.current.startsWith(`${path}~`) ? rest.current.slice(path.length + 1) : "",
    decided: (id: string) => rest.decided.get(keyOf(id)) ?? "" as const,
    seen: (id: string) => rest.seen.has(keyOf(id)),
    see: (id: string) => rest.doing.see(keyOf(id)),
    go: (id: string) => rest.doing.go(keyOf(id)),
  };
  return (
    <>
      {blocks.map((block, at) => {
        if (isFold(block)) return <Folded key={at} fold={block} first={at === 0} last={at === blocks.length - 1} />;
        const inside = block.parts.flatMap((part) => (typeof part === "string" ? [] : [part]));
        return (
          <div key={at} class="card">
            <PassageText passage={block} beside={beside} {...shown} />
            {inside.map((one) => {
              const item = items.find(({ key }) => key === keyOf(one.id));
              return item && !rest.decided.has(item.key) && <ChangeActs key={one.id} item={item} start={one.start} says={spoken(one.old, one.new)} {...rest} />;
            })}
            {note.threads.filter(({ change }) => inside.some(({ id }) => id === change)).map((thread) => <Threaded key={thread.said[0]!.text} path={path} thread={thread} number={rest.numberOf(keyOf(thread.change))} doing={rest.doing} />)}
          </div>
        );
      })}
    </>
  );
}

/** Room for what is not loaded yet, so that the page does not jump. */
function Waiting({ note }: { note: SetNote }) {
  return <div class="waiting" style={{ minHeight: `${note.changes.length * 110}px` }} aria-busy="true" />;
}

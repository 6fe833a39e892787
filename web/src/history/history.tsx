// What happened to one note or to all: filtered, looked at, compared, restored, undone by author.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { get, maybe, type Revised } from "../api.ts";
import { returned } from "../events.ts";
import { keptAs } from "../place.ts";
import { notes, readOnly } from "../store.ts";
import { folderOf, nameOf } from "../text/paths.ts";
import { Detail } from "./detail.tsx";
import { List } from "./list.tsx";
import "./look.ts";
import { Undoing } from "./undoing.tsx";
import { CAUSES } from "./words.ts";

const SINCE: readonly [value: string, label: string][] = [["", "all time"], ["1h", "the last hour"], ["today", "today"], ["yesterday", "since yesterday"], ["7d", "the last week"]];
const SEEN = keptAs("history-seen");
const PAGE = 200;

export function History({ path }: { path: string }) {
  const rows = useSignal<readonly Revised[] | null>(null);
  const cursor = useSignal<number | null>(null);
  const people = useSignal<readonly { by: string; kind: string }[]>([]);
  const filter = useSignal({ by: "", cause: "", folder: "", since: "" });
  const seen = useSignal(Number(localStorage.getItem(SEEN) ?? 0));
  const at = useSignal(0);
  const base = useSignal<Revised | null>(null);
  const shows = useSignal(false);
  const asked = useRef(0);
  const load = async (before?: number) => {
    const turn = ++asked.current;
    const answer = await maybe(get("history", { path, ...filter.value, before, limit: PAGE }));
    if (turn !== asked.current) return;
    if (!answer) {
      rows.value ??= [];
      return;
    }
    rows.value = before ? [...(rows.value ?? []), ...answer.revisions] : answer.revisions;
    cursor.value = answer.cursor;
    people.value = answer.people;
    if (!before) at.value = 0;
    if (!path && !before) localStorage.setItem(SEEN, String(answer.latest));
  };
  useEffect(() => void load(), [path, filter.value, returned.value]);
  useEffect(() => {
    shows.value = false;
    if (base.value && base.value.path !== path) base.value = null;
  }, [path]);
  const ready = !!rows.value?.length;
  useEffect(() => {
    if (ready && !document.activeElement?.closest("main, dialog")) focusList();
  }, [ready]);
  const set = (part: Partial<typeof filter.value>) => (filter.value = { ...filter.value, ...part });
  const found = rows.value ?? [];
  const away = found.filter(({ revision }) => revision > seen.value).length;
  const row = found[Math.min(at.value, found.length - 1)];
  const assistant = people.value.some((one) => one.by === filter.value.by && one.kind === "assistant");
  const compare = (one: Revised | null) => {
    base.value = one;
    shows.value = shows.value && !one;
    if (one && !path) location.hash = `#history!${encodeURIComponent(one.path)}`;
  };
  return (
    <main class={`view history${shows.value ? " shows" : ""}`}>
      <header class="view-head"><h1>{path ? nameOf(path) : "History"}</h1>
        <p class="muted" role="status">{rows.value === null ? "Loading" : !path && seen.value && away ? `${away.toLocaleString()}${cursor.value && away === found.length ? "+" : ""} since you last looked` : ""}</p>
        {path && <a class="small" href="#history">All notes</a>}
      </header>
      <div class="filters" role="group" aria-label="Which revisions">
        <Choice label="By" value={filter.value.by} none="everybody" options={people.value.filter(({ kind }) => kind !== "program").map(({ by }) => [by, by])} choose={(by) => set({ by })} />
        <Choice label="What" value={filter.value.cause} none="everything" options={Object.entries(CAUSES)} choose={(cause) => set({ cause })} />
        {!path && <Choice label="In" value={filter.value.folder} none="all folders" options={folders()} choose={(folder) => set({ folder })} />}
        <Choice label="When" value={filter.value.since} none="all time" options={SINCE.slice(1)} choose={(since) => set({ since })} />
      </div>
      {filter.value.by && assistant && !readOnly.value && <Undoing key={`${filter.value.by} ${filter.value.since} ${filter.value.folder}`} by={filter.value.by} since={filter.value.since} path={path || filter.value.folder} done={() => void load()} />}
      {rows.value?.length === 0 && <p class="empty">{Object.values(filter.value).some(Boolean) ? "Nothing of that kind has happened." : "Nothing has changed since the history began."}</p>}
      {row && <div class="both">
        <List rows={found} at={at.value} seen={path ? 0 : seen.value} base={base.value?.revision ?? 0} choose={(index) => (at.value = index)} more={() => cursor.value && void load(cursor.value)}
          show={() => { shows.value = true; setTimeout(() => matchMedia("(max-width: 820px)").matches && document.querySelector<HTMLElement>(".history .detail")?.focus()); }} />
        {row.cause !== "before" && <Detail row={row} base={base.value} setBase={compare} back={() => { shows.value = false; focusList(); }} restored={() => void load()} />}
      </div>}
    </main>
  );
}

function Choice({ label, value, none, options, choose }: { label: string; value: string; none: string; options: readonly (readonly [value: string, label: string])[]; choose: (value: string) => void }) {
  return <label>{label} <select value={value} onChange={(event) => choose(event.currentTarget.value)}><option value="">{none}</option>{options.map(([each, shown]) => <option key={each} value={each}>{shown}</option>)}</select></label>;
}

function folders(): (readonly [string, string])[] {
  const found = new Set<string>();
  for (const { path } of (notes.value ?? [])) for (let folder = folderOf(path); folder; folder = folderOf(folder)) found.add(folder);
  return [...found].sort().map((folder) => [folder, folder]);
}

function focusList(): void {
  document.querySelector<HTMLElement>(".history .revisions")?.focus();
}

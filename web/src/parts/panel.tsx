// Beside a note: its suggestions, its links, its outline, its neighbours in the graph.

import type { EditorView } from "@codemirror/view";
import { useSignal, useSignalEffect } from "@preact/signals";
import { lazy, Suspense } from "./lazy.tsx";

import { type Answers, get, maybe } from "../api.ts";
import { idOf, sides, type Suggestion } from "../critic/index.ts";
import { creditOf } from "../editor/credits.ts";
import { reading, suggestionAt } from "../editor/marks.ts";
import { goTo } from "../editor/suggestions.ts";
import { reviewed } from "../events.ts";
import { decide, type Decision } from "../review.ts";
import { hrefOf, panelTab as tab, readOnly } from "../store.ts";
import { age } from "../text/age.ts";
import { headings } from "../text/headings.ts";
import { Diff } from "./diff.tsx";
import { Rows } from "./rows.tsx";

const HEIGHT = 104;
const LocalGraph = lazy(() => import("./graph.tsx").then((module) => module.LocalGraph));

const TABS = [["suggestions", "Suggestions"], ["links", "Links"], ["outline", "Outline"], ["graph", "Graph"]] as const;

export function Panel({ view, path, version }: { view: EditorView; path: string; version: number }) {
  const count = view.state.field(reading).pending.length;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const at = TABS.findIndex(([name]) => name === tab.value);
    tab.value = TABS[(at + step + TABS.length) % TABS.length]![0];
    document.getElementById(`tab-${tab.value}`)?.focus();
  };
  return (
    <aside class="panel" aria-label="About this note">
      <div class="tabs" role="tablist" aria-label="About this note" onKeyDown={onKeyDown}>
        {TABS.map(([name, label]) => (
          <button key={name} id={`tab-${name}`} type="button" role="tab" aria-selected={tab.value === name} aria-controls="tab-panel" tabIndex={tab.value === name ? 0 : -1} onClick={() => (tab.value = name)}>
            {label}{name === "suggestions" && count > 0 && <span class="count">{count > 999 ? "999+" : count}</span>}
          </button>
        ))}
      </div>
      <div class="tab-panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab.value}`}>
        {tab.value === "suggestions" && <Suggestions view={view} path={path} version={version} />}
        {tab.value === "links" && <Links path={path} />}
        {tab.value === "outline" && <Outline view={view} version={version} />}
        {tab.value === "graph" && <Suspense><LocalGraph path={path} /></Suspense>}
      </div>
    </aside>
  );
}

function Suggestions({ view, path }: { view: EditorView; path: string; version: number }) {
  const { marked, pending } = view.state.field(reading);
  const active = suggestionAt(view.state.field(reading), view.state.selection.main.head);
  const act = (decision: Decision, one: Suggestion) => void decide(decision, { suggestions: [{ path, id: idOf(marked, pending, one) }] });
  if (!pending.length) return <p class="empty">Nothing is suggested in this note.</p>;
  const row = (index: number) => {
    const one = pending[index];
    if (!one) return null;
    const { old, new: added } = sides(marked, one);
    const { author, time } = creditOf(view.state, one);
    return (
      <div role="listitem" key={index} class={`suggestion${one === active ? " current" : ""}`}>
        <button type="button" class="jump" onClick={() => goTo(view, one.marks[0]!.body)} aria-label={`Go to the suggestion: ${one.kind}`}><Diff old={old} added={added} /></button>
        <div class="suggestion-foot">
          <span class="who">{author}</span><span class="muted">{time === null ? "" : age(time)}</span>
          <span class="grow" />
          {!readOnly.value && <button type="button" class="small accept" onClick={() => act("accept", one)}>Accept</button>}
          {!readOnly.value && <button type="button" class="small reject" onClick={() => act("reject", one)}>Reject</button>}
        </div>
      </div>
    );
  };
  return (
    <div class="suggestions">
      {pending.length > 1 && !readOnly.value && (
        <div class="suggestions-all">
          <button type="button" class="small accept" onClick={() => void decide("accept", { path })}>Accept all {pending.length.toLocaleString()}</button>
          <button type="button" class="small reject" onClick={() => void decide("reject", { path })}>Reject all</button>
        </div>
      )}
      <Rows count={pending.length} height={HEIGHT} label="Suggestions in this note" row={row} />
    </div>
  );
}

function Links({ path }: { path: string }) {
  const found = useSignal<Answers["links"] | null>(null);
  useSignalEffect(() => {
    void reviewed.value;
    void maybe(get("links", { path })).then((links) => (found.value = links));
  });
  if (!found.value) return <p class="empty">Loading</p>;
  const { backlinks, forward, unresolved } = found.value;
  return (
    <div class="links">
      <h2>Linked from</h2>
      {!backlinks.length && <p class="empty">No note links here yet.</p>}
      <ul>{backlinks.map((link) => <li key={`${link.path}${link.line}`}><a href={hrefOf(link.path)}>{link.title}</a><p class="context">{link.context}</p></li>)}</ul>
      <h2>Links to</h2>
      {!forward.length && !unresolved.length && <p class="empty">This note links nowhere yet.</p>}
      <ul>
        {forward.map((link) => <li key={link.path}><a href={hrefOf(link.path)}>{link.title}</a></li>)}
        {unresolved.map((text) => <li key={text} class="muted">{text} <span class="small">(no such note)</span></li>)}
      </ul>
    </div>
  );
}

function Outline({ view }: { view: EditorView; version: number }) {
  const found = headings(view.state.doc.toString());
  if (!found.length) return <p class="empty">No headings.</p>;
  return (
    <ul class="outline">
      {found.slice(0, 500).map((heading) => (
        <li key={heading.from}><button type="button" class={`quiet level-${heading.level}`} onClick={() => goTo(view, heading.from)}>{heading.text}</button></li>
      ))}
    </ul>
  );
}

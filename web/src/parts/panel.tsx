// Beside a note: its suggestions, its links, its outline, its neighbours in the graph, an agent.

import type { EditorView } from "@codemirror/view";
import { useSignal, useSignalEffect } from "@preact/signals";
import { lazy } from "./lazy.tsx";

import { type Answers, get, maybe } from "../api.ts";
import { idOf, sides, type Suggestion } from "../critic/index.ts";
import { creditOf } from "../editor/credits.ts";
import { reading, suggestionAt } from "../editor/marks.ts";
import { goTo } from "../editor/suggestions.ts";
import { returned, reviewed } from "../events.ts";
import { decide, type Decision, tellHidden } from "../review.ts";
import { dialog, hrefOf, panelTab as tab, readOnly } from "../store.ts";
import { isLong } from "../text/folded.ts";
import { headings } from "../text/headings.ts";
import { PanelFoot } from "../history/panel_foot.tsx";
import { SuggestionRow } from "./suggestion_row.tsx";
import { TallRows } from "./tall_rows.tsx";

const LINES_SHOWN = 3;
const LocalGraph = lazy(() => import("./graph.tsx").then((module) => module.LocalGraph));

const Agent = lazy(() => import("./agent.tsx").then((module) => module.Agent));

const TABS = [["suggestions", "Suggestions"], ["links", "Links"], ["outline", "Outline"], ["graph", "Graph"], ["agent", "Agent"]] as const;

export function Panel({ view, path, version, goTo: goToPlace }: { view: EditorView; path: string; version: number; goTo: (place: number) => void }) {
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
        {tab.value === "outline" && <Outline view={view} version={version} goTo={goToPlace} />}
        {tab.value === "graph" && <LocalGraph path={path} />}
        {tab.value === "agent" && <Agent view={view} path={path} version={version} />}
      </div>
      <PanelFoot path={path} />
    </aside>
  );
}

function Suggestions({ view, path }: { view: EditorView; path: string; version: number }) {
  const { marked, pending } = view.state.field(reading);
  const active = suggestionAt(view.state.field(reading), view.state.selection.main.head);
  /** The long suggestions that were shown whole. */
  const seen = useSignal<ReadonlySet<string>>(new Set());
  const act = (decision: Decision, one: Suggestion) => void decide(decision, { suggestions: [{ path, id: idOf(marked, pending, one) }] });
  const acceptAll = () => {
    const all = pending.map((one) => sides(marked, one)).filter(({ old, new: added }) => isLong(old, added) && !seen.peek().has(old + added));
    if (!all.length) return void decide("accept", { path });
    seen.value = new Set([...seen.peek(), ...all.map(({ old, new: added }) => old + added)]);
    tellHidden(all.length);
  };
  if (!pending.length) return <p class="empty">Nothing is suggested in this note.</p>;
  const row = (index: number) => {
    const one = pending[index]!;
    const { old, new: added } = sides(marked, one);
    return (
      <SuggestionRow key={index} old={old} added={added} credit={creditOf(view.state, one)} current={one === active}
        seen={seen.value.has(old + added)} see={() => (seen.value = new Set([...seen.peek(), old + added]))}
        go={() => goTo(view, one.marks[0]!.body)} decide={(decision) => act(decision, one)} />
    );
  };
  return (
    <div class="suggestions">
      {pending.length > 1 && !readOnly.value && (
        <div class="suggestions-all">
          <button type="button" class="small accept" onClick={acceptAll}>Accept all {pending.length.toLocaleString()}</button>
          <button type="button" class="small reject" onClick={() => void decide("reject", { path })}>Reject all</button>
        </div>
      )}
      <TallRows count={pending.length} label="Suggestions in this note" row={row} />
    </div>
  );
}

function Links({ path }: { path: string }) {
  const found = useSignal<Answers["links"] | null>(null);
  const files = useSignal<Answers["attachments"]["files"]>([]);
  useSignalEffect(() => {
    void reviewed.value;
    void returned.value;
    let over = false;
    void maybe(get("links", { path })).then((links) => { if (links && !over) found.value = links; });
    void maybe(get("attachments", { note: path })).then((answer) => { if (answer && !over) files.value = answer.files; });
    return () => { over = true; };
  });
  if (!found.value) return <p class="empty">Loading</p>;
  const { backlinks, forward, unresolved } = found.value;
  return (
    <div class="links">
      <h2>Linked from</h2>
      {!backlinks.length && <p class="empty">No note links here yet.</p>}
      <ul>{grouped(backlinks).map(([first, ...more]) => <li key={first!.path}><a href={hrefOf(first!.path)}>{first!.title}</a>{[first!, ...more].slice(0, LINES_SHOWN).map((link) => <p key={link.line} class="context">{link.context}</p>)}{more.length >= LINES_SHOWN && <p class="context">and {more.length + 1 - LINES_SHOWN} more</p>}</li>)}</ul>
      <h2>Links to</h2>
      {!forward.length && !unresolved.length && <p class="empty">This note links nowhere yet.</p>}
      <ul>
        {forward.map((link) => <li key={link.path}><a href={hrefOf(link.path)}>{link.title}</a></li>)}
        {unresolved.filter((text) => !files.value.some((file) => file.link === text)).map((text) => <li key={text} class="muted">{text} <span class="small">(no such note)</span></li>)}
      </ul>
      {files.value.length > 0 && <h2>Files</h2>}
      <ul>
        {files.value.map(({ link, path: file }) => (
          <li key={link} class="file">
            {file ? <a href={`api/file?${new URLSearchParams({ path: file })}`} target="_blank" rel="noopener">{file}</a> : <span class="muted">{link} <span class="small">(no such file)</span></span>}
            {file && !readOnly.value && <button type="button" class="quiet small" onClick={() => (dialog.value = { kind: "move-file", path: file })}>Rename</button>}
          </li>
        ))}
      </ul>
    </div>
  );
}

type Backlink = Answers["links"]["backlinks"][number];

/** The links of each note together: a note may link here twenty times. */
function grouped(backlinks: readonly Backlink[]): Backlink[][] {
  const by = new Map<string, Backlink[]>();
  for (const link of backlinks) by.set(link.path, [...(by.get(link.path) ?? []), link]);
  return [...by.values()];
}

function Outline({ view, goTo }: { view: EditorView; version: number; goTo: (place: number) => void }) {
  const found = headings(view.state.doc.toString());
  if (!found.length) return <p class="empty">No headings.</p>;
  return (
    <ul class="outline">
      {found.slice(0, 500).map((heading) => (
        <li key={heading.from}><button type="button" class={`quiet level-${heading.level}`} onClick={() => goTo(heading.from)}>{heading.text}</button></li>
      ))}
    </ul>
  );
}

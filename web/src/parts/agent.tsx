// A conversation with an agent, beside a note or by itself: chosen, followed, gone on with.

import type { EditorView } from "@codemirror/view";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { act, agents, conversations, leave, load, show, talk } from "../agent.ts";
import { returned } from "../events.ts";
import { place } from "../store.ts";
import { adopt } from "../styles/adopt.ts";
import { age } from "../text/age.ts";
import { visible } from "../text/invisible.ts";
import { Log } from "./agent_log.tsx";
import { Asking } from "./agent_prompt.tsx";

adopt(`
.agent { display: flex; flex-direction: column; height: 100%; min-height: 0; gap: 10px; }
.tab-panel > .agent { padding: 10px 14px 12px; }
.agent-head select { max-width: 130px; }
.agent .said code { font: 13px/1.45 var(--mono, monospace); padding: 1px 4px; border-radius: 4px; background: var(--hover); }
.agent .said code.block { display: block; padding: 8px; overflow-x: auto; }
.agent-head { display: flex; flex-wrap: wrap; gap: 6px 8px; align-items: center; }
.agent-log { flex: 1; min-height: 0; overflow-y: auto; display: flex; flex-direction: column; gap: 10px; }
.agent-log > * { margin: 0; overflow-wrap: anywhere; }
.agent .asked { align-self: flex-end; max-width: 92%; padding: 7px 11px; border-radius: 10px; background: var(--hover); white-space: pre-wrap; }
.agent .said { white-space: pre-wrap; font: 15.5px/1.55 var(--serif); }
.agent .thought { white-space: pre-wrap; font-size: 12.5px; color: var(--ink-soft); }
.agent .step { font-size: 12.5px; color: var(--ink-soft); }
.agent .step pre, .agent .question pre { margin: 4px 0 0; padding: 8px; max-height: 220px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: 12.5px/1.45 var(--mono, monospace); background: var(--hover); border-radius: 6px; }
.agent .question { padding: 10px 12px; border: 1px solid var(--accent); border-radius: 8px; }
.agent .question.answered { border-color: var(--line); }
.agent .question .acts { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 8px; }
.agent .failed, .agent .trouble { color: var(--del); }
.agent form { display: flex; flex-direction: column; gap: 6px; }
.agent textarea { display: block; width: 100%; min-height: 68px; max-height: 40dvh; resize: vertical; padding: 8px 10px; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--raised); }
.agent .row select, .agent-head select { max-width: 100%; height: 30px; padding: 0 6px; font-size: 12.5px; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); }
.agent .chips { display: flex; flex-wrap: wrap; gap: 4px; }
.agent .chips button { min-height: 24px; padding: 0 9px; border-radius: 12px; font-size: 12px; }
.agent .chips [aria-pressed="false"] { opacity: .55; text-decoration: line-through; }
.agent .chips button { max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.agent .completing { position: relative; }
.agent .options { position: absolute; left: 0; right: 0; bottom: 100%; z-index: 5; max-height: 220px; margin: 0 0 4px; padding: 4px; overflow-y: auto; list-style: none; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); box-shadow: var(--shadow); }
.agent .options li { display: flex; gap: 8px; padding: 5px 8px; border-radius: 6px; cursor: pointer; overflow-wrap: anywhere; }
.agent .options [aria-selected="true"] { background: var(--accent-soft); }
.agent .earlier { padding: 6px 0; border-bottom: 1px solid var(--line); }
.agent .chips img { height: 18px; max-width: 48px; object-fit: cover; vertical-align: -4px; border-radius: 3px; }
.agent .picture input { position: absolute; width: 1px; height: 1px; opacity: 0; }
.agent .picture:focus-within { outline: 2px solid var(--accent); outline-offset: 2px; }
.view.agent-view { display: flex; flex-direction: column; } .view.agent-view > * { width: 100%; } .view.agent-view > .agent { flex: 1; }
@media (max-width: 820px) { .note.with-panel:has(.agent) { grid-template-rows: minmax(0, 1fr) 62dvh; } .agent textarea { min-height: 44px; } .view.agent-view { padding-bottom: 14px; } }
.agent .row { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }
.agent .plan { padding-left: 0; font-size: 13px; list-style: none; }
.agent .plan li { position: relative; padding-left: 20px; } .agent .plan li::before { content: "○"; content: "○" / ""; position: absolute; left: 2px; color: var(--ink-soft); }
.agent .plan .completed { color: var(--ink-soft); } .agent .plan .completed::before { content: "✓"; content: "✓" / ""; color: var(--accent); }
.agent .plan .in_progress { font-weight: 600; } .agent .plan .in_progress::before { content: "●"; content: "●" / ""; color: var(--accent); }
`);

/** The conversations by themselves: one, or the list of all. */
export function AgentView({ id }: { id: string }) {
  useEffect(() => { if (id && talk.peek()?.id !== id) show(id); }, [id]);
  return <main class="view agent-view" tabIndex={-1}><header class="view-head"><h1>{talk.value?.title ? visible(talk.value.title) : "Agents"}</h1></header><Agent view={null} path="" /></main>;
}

export function Agent({ view, path }: { view: EditorView | null; path: string; version?: number }) {
  const words = useSignal("");
  useEffect(() => void load(words.value), [returned.value, words.value, talk.value?.state]);
  if (agents.value === null) return <p class="empty">Agents can be used on the machine that serves this vault, or with a token that may approve if its owner allows it.</p>;
  return (
    <section class="agent" aria-label="Agent">
      {talk.value ? <Head /> : <Earlier words={words} />}
      {talk.value && <Log talk={talk.value} />}
      <Asking view={view} path={path} />
    </section>
  );
}

function Head() {
  const now = talk.value!;
  const modes = now.modes.offered ?? [];
  const away = () => { leave(); if (place.peek().view === "agent") location.hash = "#agent"; };
  return (
    <header class="agent-head">
      <button type="button" class="small" aria-label="All conversations" onClick={away}>All</button>
      <span class="muted small" role="status">{now.agent}{now.state === "starting" ? " is starting" : now.state === "working" ? " is at work" : ""}</span><span class="grow" />
      {modes.length > 1 && <select aria-label="Mode" value={now.modes.current ?? ""} onChange={(event) => void act("mode", { mode: event.currentTarget.value })}>{modes.map((mode) => <option key={mode.id} value={mode.id}>{mode.name}</option>)}</select>}
      <button type="button" class="small quiet" onClick={() => confirm("Delete this conversation? Its suggestions stay.") && void act("delete").then(away)}>Delete</button>
    </header>
  );
}

function Earlier({ words }: { words: { value: string } }) {
  return (
    <div class="agent-log" role="region" aria-label="Conversations" tabIndex={0}>
      {!agents.value!.length && <p class="muted">Your own settings name no agent yet. <code>commonplace agents</code> shows how to add one.</p>}
      <p class="muted small">An agent is a program of its own and runs as you. Its changes to notes come as suggestions, one change set for each thing you ask. Whether it asks before it runs a command is its maker's choice; when it does, you see all of it here. What you ask, and the notes it reads, go to its maker.</p>
      {(conversations.value.length > 0 || words.value) && <input type="search" aria-label="Search conversations" placeholder="Search conversations" value={words.value} onInput={(event) => (words.value = event.currentTarget.value)} />}
      <ul>{conversations.value.map((one) => (
        <li key={one.id} class="earlier"><button type="button" class="link" onClick={() => show(one.id)}>{visible(one.title) || "Nothing asked yet"}</button> <span class="muted small">{one.agent} {age(one.changed)}{one.state === "working" ? ", at work" : ""}</span></li>
      ))}</ul>
    </div>
  );
}

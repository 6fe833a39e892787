// The graph of notes; the same notes stand in a list for those who do not see it.

import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { type Answers, get, maybe } from "../api.ts";
import { returned } from "../events.ts";
import { type By, groupsOf } from "../graph/groups.ts";
import { type Look, Scene } from "../graph/scene.ts";
import { hrefOf, isDark, notes, open } from "../store.ts";

const LOCAL_MAX = 500;
const WHOLE_MAX = 20_000;
const LISTED_MAX = 300;
const DEPTHS = [1, 2, 3] as const;
const COLOURINGS: readonly [By, string][] = [["folder", "by folder"], ["tag", "by tag"], ["none", "one colour"]];

export function LocalGraph({ path }: { path: string }) {
  const depth = useSignal(1);
  return (
    <div class="local-graph">
      <div class="segmented" role="group" aria-label="How far">
        {DEPTHS.map((steps) => <button key={steps} type="button" aria-pressed={depth.value === steps} onClick={() => (depth.value = steps)}>{steps} {steps === 1 ? "step" : "steps"}</button>)}
      </div>
      <Graph key={`${path}${depth.value}`} path={path} depth={depth.value} limit={LOCAL_MAX} />
    </div>
  );
}

export function WholeGraph() {
  return <main class="view whole-graph"><header class="view-head"><h1>Graph</h1></header><Graph limit={WHOLE_MAX} /></main>;
}

const many = (count: number, what: string) => `${count.toLocaleString()} ${what}${count === 1 ? "" : "s"}`;

function Graph({ path, depth, limit }: { path?: string; depth?: number; limit: number }) {
  const found = useSignal<Answers["graph"] | null | undefined>(undefined);
  useSignalEffect(() => {
    void returned.value;
    void maybe(get("graph", { path, depth, limit })).then((graph) => { if (graph || !found.peek()) found.value = graph; });
  });
  if (found.value === null) return <p class="empty">The graph could not be loaded. It comes by itself when the server is back.</p>;
  return found.value ? <Drawn key={found.value.nodes.length} graph={found.value} path={path ?? ""} /> : <p class="empty">Loading</p>;
}

function Drawn({ graph, path }: { graph: Answers["graph"]; path: string }) {
  const [top, below] = [useRef<HTMLCanvasElement>(null), useRef<HTMLCanvasElement>(null)];
  const scene = useRef<Scene | null>(null);
  const by = useSignal<By>("folder");
  const typed = useSignal("");
  const chosen = useSignal(-1);
  const linkedOnly = useSignal(false);
  const groups = useComputed(() => groupsOf(graph, by.value));
  const matching = useComputed(() => {
    const wanted = typed.value.trim().toLowerCase();
    return wanted ? new Set(graph.nodes.flatMap(({ id, title }, at) => (`${title}\n${id}`.toLowerCase().includes(wanted) ? [at] : []))) : null;
  });
  const look = useComputed<Look>(() => {
    const [group, only, { of }] = [chosen.value, linkedOnly.value, groups.value];
    return { groups: groups.value, found: matching.value, hidden: (node) => (group >= 0 && of[node] !== group) || (only && !graph.nodes[node]!.degree) };
  });
  useEffect(() => {
    if (!top.current || !below.current) return undefined;
    scene.current = new Scene(top.current, below.current, graph, path, look.peek(), open);
    return () => scene.current?.stop();
  }, []);
  useSignalEffect(() => {
    void isDark.value;
    const next = look.value;
    // The theme's colours are there once the page has taken them.
    requestAnimationFrame(() => scene.current?.show(next));
  });
  const { nodes, edges } = graph;
  const shown = useComputed(() => nodes.reduce((sum, _, at) => sum + Number(!look.value.hidden(at)), 0));
  const listed = useComputed(() => nodes.filter(({ id }, at) => id !== path && !look.value.hidden(at) && (matching.value?.has(at) ?? true)).slice(0, LISTED_MAX));
  const more = !path && notes.value && notes.value.length > nodes.length ? ` of ${notes.value.length.toLocaleString()}, the most linked ones` : "";
  return (
    <div class="graph">
      {!path && (
        <div class="graph-bar" role="group" aria-label="What the graph shows">
          <input type="search" aria-label="Find notes in the graph" placeholder="Find in the graph" value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} />
          <select aria-label="Colours" value={by.value} onChange={(event) => { chosen.value = -1; by.value = event.currentTarget.value as By; }}>{COLOURINGS.map(([value, label]) => <option key={value} value={value}>{label}</option>)}</select>
          <label class="check"><input type="checkbox" checked={linkedOnly.value} onChange={() => (linkedOnly.value = !linkedOnly.value)} /> Linked notes only</label>
        </div>
      )}
      <div class="graph-box">
        <canvas ref={top} class="graph-top" role="img" aria-label={`Graph of ${many(nodes.length, "note")} and ${many(edges.length, "link")}`} />
        <canvas ref={below} class="graph-below" aria-hidden="true" />
        <div class="graph-zoom">
          <button type="button" class="quiet" aria-label="Zoom in" onClick={() => scene.current?.zoom(1.4)}>+</button>
          <button type="button" class="quiet" aria-label="Zoom out" onClick={() => scene.current?.zoom(1 / 1.4)}>−</button>
          <button type="button" class="quiet" aria-label="Show everything" onClick={() => scene.current?.fit()}>⤢</button>
        </div>
      </div>
      {!path && groups.value.names.length > 0 && (
        <ul class="legend" aria-label="Colours">
          {groups.value.names.map((name, at) => <li key={name}><button type="button" class="small" aria-pressed={chosen.value === at} onClick={() => (chosen.value = chosen.value === at ? -1 : at)}><span class={`swatch group-${at}`} aria-hidden="true" />{name}</button></li>)}
        </ul>
      )}
      <p class="muted small" role="status">{typed.value.trim() ? `${many(matching.value?.size ?? 0, "note")} found in ` : ""}{shown.value === nodes.length ? many(nodes.length, "note") : `${shown.value.toLocaleString()} of ${many(nodes.length, "note")}`}{more}, {many(edges.length, "link")}</p>
      <details><summary>As a list</summary><ul>{listed.value.map((node) => <li key={node.id}><a href={hrefOf(node.id)}>{node.title}</a></li>)}</ul></details>
    </div>
  );
}

// The graph of notes, drawn on a canvas; the same notes stand in a list for those who do not see it.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { type Answers, get, maybe } from "../api.ts";
import { Drawing } from "../drawing.ts";
import { hrefOf, isDark, notes, open } from "../store.ts";

const LOCAL_MAX = 300;
const WHOLE_MAX = 2000;
const LISTED_MAX = 300;

export function LocalGraph({ path }: { path: string }) {
  const depth = useSignal(1);
  return (
    <div class="local-graph">
      <div class="segmented" role="group" aria-label="How far">
        {[1, 2].map((steps) => <button key={steps} type="button" aria-pressed={depth.value === steps} onClick={() => (depth.value = steps)}>{steps} {steps === 1 ? "step" : "steps"}</button>)}
      </div>
      <Graph key={`${path}${depth.value}`} path={path} depth={depth.value} limit={LOCAL_MAX} />
    </div>
  );
}

export function WholeGraph() {
  return <Graph limit={WHOLE_MAX} />;
}

const many = (count: number, what: string) => `${count.toLocaleString()} ${what}${count === 1 ? "" : "s"}`;

function Graph({ path, depth, limit }: { path?: string; depth?: number; limit: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const found = useSignal<Answers["graph"] | null | undefined>(undefined);
  useEffect(() => {
    void maybe(get("graph", { path, depth, limit })).then((graph) => (found.value = graph));
  }, [path, depth]);
  const drawing = useSignal<Drawing | null>(null);
  useEffect(() => {
    if (!found.value || !canvas.current) return undefined;
    const made = new Drawing(canvas.current, found.value, path ?? "", open);
    drawing.value = made;
    return () => made.stop();
  }, [found.value]);
  useSignalEffect(() => {
    void isDark.value;
    drawing.value?.draw();
  });
  if (found.value === null) return <p class="empty">This server has no graph yet.</p>;
  if (!found.value) return <p class="empty">Loading</p>;
  const { nodes, edges } = found.value;
  const listed = nodes.filter((node) => node.id !== path).slice(0, LISTED_MAX);
  const more = !path && notes.value && notes.value.length > nodes.length ? ` of ${notes.value.length.toLocaleString()}, the most linked ones` : "";
  return (
    <div class="graph">
      <canvas ref={canvas} role="img" aria-label={`Graph of ${many(nodes.length, "note")} and ${many(edges.length, "link")}`} />
      <p class="muted small">{many(nodes.length, "note")}{more}, {many(edges.length, "link")}</p>
      <details><summary>As a list</summary><ul>{listed.map((node) => <li key={node.id}><a href={hrefOf(node.id)}>{node.title}</a></li>)}</ul></details>
    </div>
  );
}

// A vault as a site of plain files: the list of notes, one of them, what links to it, search, graph.

import "../styles/site.css";

import { type Signal, useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { groupsOf } from "../graph/groups.ts";
import { type Look, Scene } from "../graph/scene.ts";
import { type Entry, here, loadTexts, site, top } from "./data.ts";
import { showNote } from "./note.ts";
import { type Found, search } from "./search.ts";

const LOCAL_GRAPH_MAX = 120;
const WHOLE_GRAPH_MAX = 2000;

const titles = site.notes.map(([, title]) => title);
const note = here.at === null ? null : site.notes[here.at]!;
const to = (entry: Entry) => top + entry[3];
const goTo = (path: string) => {
  const entry = site.notes.find(([each]) => each === path);
  if (entry) location.href = to(entry);
};

function Page() {
  const query = useSignal("");
  return (
    <>
      <nav class="site-side" aria-label="Notes">
        <a class="site-title" href={`${top}index.html`}>{site.title}</a>
        <input type="search" placeholder="Search" aria-label="Search" value={query.value} onInput={(event) => (query.value = event.currentTarget.value)} />
        <Tree />
        <a href={`${top}graph.html`} aria-current={document.body.dataset["page"] === "graph" ? "page" : undefined}>Graph</a>
      </nav>
      <main class="site-main">{query.value.trim() ? <Hits query={query.value} /> : document.body.dataset["page"] === "graph" ? <Graph whole /> : <Note query={query} />}</main>
    </>
  );
}

function Tree() {
  const folders = new Map<string, Entry[]>();
  for (const entry of site.notes) {
    const folder = entry[0].slice(0, Math.max(0, entry[0].lastIndexOf("/")));
    folders.set(folder, [...(folders.get(folder) ?? []), entry]);
  }
  const inside = note ? note[0].slice(0, Math.max(0, note[0].lastIndexOf("/"))) : "";
  return (
    <div class="site-tree">
      {[...folders].sort(([one], [other]) => one.localeCompare(other)).map(([folder, entries]) => folder ? <details key={folder} open={folder === inside}><summary>{folder}</summary><Rows entries={entries} /></details> : <Rows key="" entries={entries} />)}
    </div>
  );
}

function Rows({ entries }: { entries: readonly Entry[] }) {
  return <ul>{entries.map((entry) => <li key={entry[0]}><a href={to(entry)} aria-current={entry === note ? "page" : undefined}>{entry[1]}</a></li>)}</ul>;
}

function Note({ query }: { query: Signal<string> }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!box.current) return;
    showNote(box.current, (tag) => (query.value = `#${tag}`));
  }, []);
  const back = site.notes.filter((entry) => here.at !== null && entry !== note && entry[4].includes(here.at));
  return (
    <>
      <article class="prose" ref={box} />
      {note && note[2].length > 0 && <p class="muted small">{note[2].map((tag) => `#${tag}`).join(" ")}</p>}
      {back.length > 0 && <section aria-label="What links here"><h2>What links here</h2><Rows entries={back} /></section>}
      {note && <Graph whole={false} />}
    </>
  );
}

function Hits({ query }: { query: string }) {
  const found = useSignal<Found[] | null>(null);
  useEffect(() => {
    let over = false;
    void loadTexts().then(() => { if (!over) found.value = search(query, titles, site.texts); });
    return () => { over = true; };
  }, [query]);
  if (!found.value) return <p class="muted">Searching</p>;
  return (
    <section aria-live="polite" aria-label="What was found">
      <h1>{found.value.length === 1 ? "1 note" : `${found.value.length} notes`}</h1>
      <ul class="site-hits">{found.value.map(({ at, snippet }) => <li key={at}><a href={to(site.notes[at]!)}>{titles[at]}</a><p class="muted small">{snippet}</p></li>)}</ul>
    </section>
  );
}

function Graph({ whole }: { whole: boolean }) {
  const [upper, below] = [useRef<HTMLCanvasElement>(null), useRef<HTMLCanvasElement>(null)];
  const chosen = whole ? mostLinked() : around(here.at!);
  const places = new Map(chosen.map((at, place) => [at, place]));
  const edges = chosen.flatMap((at, from) => site.notes[at]![4].flatMap((other): [number, number][] => (places.has(other) ? [[from, places.get(other)!]] : [])));
  useEffect(() => {
    if (!upper.current || !below.current) return undefined;
    const degrees = degreesOf(edges, chosen.length);
    const nodes = chosen.map((at, place) => ({ id: site.notes[at]![0], title: titles[at]!, degree: degrees[place]! }));
    const graph = { nodes, edges, tags: [] };
    const look: Look = { groups: groupsOf(graph, "folder"), found: null, hidden: () => false };
    const scene = new Scene(upper.current, below.current, graph, note?.[0] ?? "", look, goTo);
    const repaint = () => requestAnimationFrame(() => scene.show(look));
    dark.addEventListener("change", repaint);
    return () => {
      dark.removeEventListener("change", repaint);
      scene.stop();
    };
  }, []);
  if (!whole && !edges.length) return null;
  return (
    <section aria-label="Graph">
      <h2>Graph</h2>
      <div class={whole ? "site-graph whole" : "site-graph"}><canvas ref={upper} class="graph-top" role="img" aria-label={`Graph of ${chosen.length} notes and ${edges.length} links`} /><canvas ref={below} aria-hidden="true" /></div>
      <details><summary>As a list</summary><Rows entries={chosen.map((at) => site.notes[at]!)} /></details>
    </section>
  );
}

/** The notes of the whole graph; in a big vault, those with the most links. */
function mostLinked(): number[] {
  const degrees = degreesOf(site.notes.flatMap((entry, at) => entry[4].map((other): [number, number] => [at, other])), site.notes.length);
  const all = site.notes.map((_, at) => at);
  return all.length <= WHOLE_GRAPH_MAX ? all : all.sort((one, other) => degrees[other]! - degrees[one]!).slice(0, WHOLE_GRAPH_MAX);
}

function degreesOf(edges: readonly (readonly [number, number])[], count: number): number[] {
  const degrees = new Array<number>(count).fill(0);
  for (const ends of edges) for (const end of ends) degrees[end]! += 1;
  return degrees;
}

/** A note, what it links to, and what links to it. */
function around(at: number): number[] {
  const back = site.notes.flatMap((entry, other) => (entry[4].includes(at) ? [other] : []));
  return [...new Set([at, ...site.notes[at]![4], ...back])].slice(0, LOCAL_GRAPH_MAX);
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => (document.documentElement.dataset["theme"] = dark.matches ? "dark" : "light");
dark.addEventListener("change", paint);
paint();
render(<Page />, document.getElementById("site")!);

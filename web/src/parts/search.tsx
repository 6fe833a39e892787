// Searching all notes, by words and, where the server can, by meaning.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { type Answers, ApiError, get, Offline } from "../api.ts";
import { returned } from "../events.ts";
import { complain, hrefOf } from "../store.ts";
import { fromFirstMatch, matchedParts } from "../text/matched.ts";
import { folderOf } from "../text/paths.ts";
import { PASSAGE } from "../text/places.ts";

const WAIT_MS = 120;
const LIMIT = 50;
const PASSAGE_CHARS = 160;
const AWAY = "The server cannot be reached. This goes on by itself when it is back.";
const ORDERS = [["relevance", "best first"], ["modified", "changed last first"], ["name", "by name"]] as const;
const CONDITIONS: readonly [example: string, meaning: string][] = [
  ['"two words"', "stand side by side"], ["-word", "does not occur"], ["tag:garden", "has the tag, or one beneath it"],
  ["path:Projects", "has this in its path"], ["is:pending", "has suggestions that wait"],
];

type Hit = Answers["find"]["hits"][number];

export function Search({ query }: { query: string }) {
  const typed = useSignal(query);
  const order = useSignal<string>("relevance");
  const found = useSignal<Answers["find"] | null>(null);
  const away = useSignal(false);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    typed.value = query;
  }, [query]);
  // The browser ignores `autofocus` where an address names a place in the page.
  useEffect(() => box.current?.focus(), []);
  useSignalEffect(() => {
    const wanted = typed.value.trim();
    const sort = order.value;
    void returned.value;
    if (!wanted) {
      found.value = null;
      return undefined;
    }
    let over = false;
    const timer = setTimeout(() => {
      get("find", { q: wanted, limit: LIMIT, sort }).then(
        (answer) => { if (!over) { found.value = answer; away.value = false; } },
        (error: unknown) => { away.value = error instanceof Offline; if (error instanceof ApiError) complain(error); },
      );
      history.replaceState(null, "", `#search!${encodeURIComponent(wanted)}`);
    }, WAIT_MS);
    return () => { over = true; clearTimeout(timer); };
  });
  return (
    <main class="view search">
      <header class="view-head"><h1>Search</h1></header>
      <input ref={box} type="search" class="search-input" aria-label="Search all notes" placeholder="Search all notes" value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} />
      <div class="search-bar">
        <p class="muted" role="status">{away.value ? AWAY : found.value ? told(found.value.hits) : ""}</p>
        {found.value && found.value.hits.length > 1 && (
          <select aria-label="Order" value={order.value} onChange={(event) => (order.value = event.currentTarget.value)}>{ORDERS.map(([value, label]) => <option key={value} value={value}>{label}</option>)}</select>
        )}
      </div>
      {!typed.value.trim() && <dl class="conditions">{CONDITIONS.map(([example, meaning]) => <div key={example}><dt><code>{example}</code></dt><dd>{meaning}</dd></div>)}</dl>}
      <ol class="hits">{found.value?.hits.map((hit) => <Row key={hit.path} hit={hit} terms={found.value!.terms} />)}</ol>
    </main>
  );
}

function told(hits: readonly Hit[]): string {
  if (!hits.length) return "Nothing found. Try fewer or other words.";
  return `${hits.length === LIMIT ? "The best " : ""}${hits.length} found`;
}

function Row({ hit, terms }: { hit: Hit; terms: readonly string[] }) {
  // What only resembles the question has none of its words to show.
  const alike = hit.matched.length > 0 && !hit.matched.includes("text");
  const passage = fromFirstMatch(hit.snippet, alike ? [] : terms).slice(0, PASSAGE_CHARS);
  return (
    <li>
      <a href={hrefOf(hit.path, passage && PASSAGE + passage)}><span class="title"><Marked text={hit.title} terms={alike ? [] : terms} /></span><span class="muted small">{folderOf(hit.path)}</span>{alike && <span class="badge" title="None of the words occur; the meaning is close.">by meaning</span>}{hit.undecided && <span class="badge" title="What is shown is a suggestion that nobody has decided.">undecided</span>}</a>
      <p><Marked text={plain(hit.snippet)} terms={alike ? [] : terms} /></p>
    </li>
  );
}

/** A snippet is cut from Markdown; its signs say nothing here. */
function plain(text: string): string {
  return text.replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1").replace(/[*_`#]{1,6}(?=\S|\s|$)/g, "").replace(/\{[^{}]*\}@@/g, "");
}

function Marked({ text, terms }: { text: string; terms: readonly string[] }) {
  return <>{matchedParts(text, terms).map(({ text: part, matched }, at) => (matched ? <mark key={at}>{part}</mark> : part))}</>;
}

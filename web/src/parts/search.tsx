// Searching all notes, by words and, where the server can, by meaning.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { type Answers, get } from "../api.ts";
import { complain, hrefOf } from "../store.ts";
import { folderOf } from "../text/paths.ts";

const WAIT_MS = 120;
const LIMIT = 50;

export function Search({ query }: { query: string }) {
  const typed = useSignal(query);
  const hits = useSignal<Answers["search"]["hits"] | null>(null);
  useEffect(() => {
    typed.value = query;
  }, [query]);
  useSignalEffect(() => {
    const wanted = typed.value.trim();
    if (!wanted) {
      hits.value = null;
      return undefined;
    }
    let over = false;
    const timer = setTimeout(() => {
      get("search", { q: wanted, limit: LIMIT }).then((found) => !over && (hits.value = found.hits), complain);
      history.replaceState(null, "", `#search!${encodeURIComponent(wanted)}`);
    }, WAIT_MS);
    return () => { over = true; clearTimeout(timer); };
  });
  return (
    <main class="view search">
      <header class="view-head"><h1>Search</h1></header>
      <input type="search" class="search-input" autofocus aria-label="Search all notes" placeholder="Search all notes" value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} />
      <p class="muted" role="status">{hits.value ? (hits.value.length ? `${hits.value.length === LIMIT ? "The best " : ""}${hits.value.length} found` : "Nothing found. Try fewer or other words.") : ""}</p>
      <ol class="hits">
        {hits.value?.map((hit) => (
          <li key={hit.path}><a href={hrefOf(hit.path)}><span class="title">{hit.title}</span><span class="muted small">{folderOf(hit.path)}</span></a><p><Snippet text={hit.snippet} query={typed.value} /></p></li>
        ))}
      </ol>
    </main>
  );
}

/** A snippet is cut from Markdown; its signs say nothing here. */
function plain(text: string): string {
  return text.replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1").replace(/[*_`#]{1,6}(?=\S|\s|$)/g, "").replace(/\{[^{}]*\}@@/g, "");
}

function Snippet({ text, query }: { text: string; query: string }) {
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const parts = plain(text).split(/([\p{L}\p{N}]+)/u);
  return <>{parts.map((part, at) => (words.has(part.toLowerCase()) ? <mark key={at}>{part}</mark> : part))}</>;
}

// All tags, and the notes that carry one.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { get, maybe } from "../api.ts";
import { hrefOf } from "../store.ts";

export function Tags() {
  const tags = useSignal<[string, number][] | null>(null);
  const chosen = useSignal("");
  const found = useSignal<{ path: string; title: string }[]>([]);
  useEffect(() => {
    void maybe(get("tags")).then((answer) => (tags.value = answer?.tags ?? []));
  }, []);
  const choose = (tag: string) => {
    chosen.value = tag;
    void maybe(get("tagged", { tag })).then((answer) => (found.value = answer?.notes ?? []));
  };
  return (
    <main class="view">
      <header class="view-head"><h1>Tags</h1></header>
      {tags.value && !tags.value.length && <p class="empty">No note has a tag yet. Write #something, or add tags to a note's properties.</p>}
      <div class="tags" role="group" aria-label="Tags">
        {tags.value?.slice(0, 500).map(([tag, count]) => (
          <button key={tag} type="button" class="tag" aria-pressed={chosen.value === tag} onClick={() => choose(tag)}>#{tag}<span class="muted">{count}</span></button>
        ))}
      </div>
      {chosen.value && <section aria-live="polite"><h2>#{chosen.value}</h2><ul class="plain">{found.value.map((note) => <li key={note.path}><a href={hrefOf(note.path)}>{note.title}</a></li>)}</ul></section>}
    </main>
  );
}

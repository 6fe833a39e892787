// All tags, and the notes that carry one.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { get, maybe } from "../api.ts";
import { returned } from "../events.ts";
import { hrefOf, openTag } from "../store.ts";

export function Tags({ tag: asked }: { tag: string }) {
  const tags = useSignal<[string, number][] | null>(null);
  const chosen = useSignal("");
  const found = useSignal<{ path: string; title: string }[]>([]);
  useSignalEffect(() => {
    void returned.value;
    void maybe(get("tags")).then((answer) => answer && (tags.value = answer.tags));
  });
  useSignalEffect(() => {
    void returned.value;
    const tag = chosen.value;
    if (tag) void maybe(get("tagged", { tag })).then((answer) => answer && (found.value = answer.notes));
  });
  useEffect(() => {
    chosen.value = asked;
  }, [asked]);
  return (
    <main class="view">
      <header class="view-head"><h1>Tags</h1></header>
      {tags.value && !tags.value.length && <p class="empty">No note has a tag yet. Write #something, or add tags to a note's properties.</p>}
      <div class="tags" role="group" aria-label="Tags">
        {tags.value?.slice(0, 500).map(([tag, count]) => (
          <button key={tag} type="button" class="tag" aria-pressed={chosen.value === tag} onClick={() => openTag(tag)}>#{tag}<span class="muted">{count}</span></button>
        ))}
      </div>
      {chosen.value && <section aria-live="polite"><h2>#{chosen.value}</h2><ul class="plain">{found.value.map((note) => <li key={note.path}><a href={hrefOf(note.path)}>{note.title}</a></li>)}</ul></section>}
    </main>
  );
}

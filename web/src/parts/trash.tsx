// What was deleted, by people and assistants; each note can be taken back.

import { useSignal, useSignalEffect } from "@preact/signals";

import { type Answers, get, maybe, post } from "../api.ts";
import { returned } from "../events.ts";
import { complain, loadNotes, notes, open, readOnly, tell } from "../store.ts";
import { age } from "../text/age.ts";
import { folderOf, nameOf } from "../text/paths.ts";

type Deleted = Answers["trash"]["trash"][number];

export function Trash() {
  const found = useSignal<readonly Deleted[] | null>(null);
  const load = () => void maybe(get("trash")).then((answer) => answer && (found.value = [...answer.trash].sort((one, other) => (other.time ?? 0) - (one.time ?? 0))));
  useSignalEffect(() => {
    void returned.value;
    void notes.value;
    load();
  });
  const restore = async ({ trash }: Deleted) => {
    try {
      const { path } = await post<{ path: string }>("notes/restore", { trash });
      await loadNotes();
      load();
      tell(`${nameOf(path)} is back.`, { label: "Open", run: () => open(path) });
    } catch (error) {
      complain(error);
    }
  };
  return (
    <main class="view trash">
      <header class="view-head"><h1>Trash</h1><p class="muted" role="status">{found.value === null ? "Loading" : found.value.length === 1 ? "1 note" : `${found.value.length.toLocaleString()} notes`}</p></header>
      <p class="muted">Deleted notes lie in the folder <code>.trash</code> of the vault until you empty it.</p>
      <ul class="plain">
        {found.value?.map((one) => (
          <li key={one.trash}>
            <span class="what"><span class="title">{nameOf(one.path)}</span> <span class="muted small">{[folderOf(one.path), one.who && `deleted by ${one.who}`, one.time && age(one.time * 1000)].filter(Boolean).join(" · ")}</span></span>
            {!readOnly.value && <button type="button" class="small" aria-label={`Restore ${nameOf(one.path)}`} onClick={() => void restore(one)}>Restore</button>}
          </li>
        ))}
      </ul>
    </main>
  );
}

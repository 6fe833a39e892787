// Everything that one assistant did, taken back: shown first, then done.

import { useSignal } from "@preact/signals";

import { type Answers, get, maybe, post } from "../api.ts";
import { complain, loadNotes, tell } from "../store.ts";
import { nameOf } from "../text/paths.ts";

/** Shows first what an undo would do to each note, then does it. */
export function Undoing({ by, since, path, done }: { by: string; since: string; path: string; done: () => void }) {
  const preview = useSignal<Answers["undo"] | null>(null);
  const look = async () => (preview.value = await maybe(get("undo", { by, since, path })));
  const undo = async (wish: object) => {
    try {
      const answer = await post<{ undo: string; notes: string[]; needs_you: unknown[] }>("undo", wish);
      await loadNotes();
      const needs = answer.needs_you.length;
      tell(`Taken back in ${answer.notes.length.toLocaleString()} notes.${needs ? ` ${needs} passages need you: see Review.` : ""}`, { label: "Undo", run: () => void undo({ set: answer.undo }) });
      preview.value = null;
      done();
    } catch (error) {
      complain(error);
    }
  };
  if (!preview.value) return <button type="button" class="small undo-all" onClick={() => void look()}>Undo what {by} did…</button>;
  return (
    <section class="undoing" aria-label={`What undoing ${by} would do`}>
      {preview.value.notes.length === 0 && <p>There is nothing left to take back.</p>}
      <ul>{preview.value.notes.map((note) => (
        <li key={note.document}><strong>{nameOf(note.path)}</strong> {note.whole && <span class="muted">{{ trash: "goes to the trash", restore: "comes back", rename: `is called ${nameOf(note.to)} again` }[note.whole]}</span>}
          {note.passages.map((passage, at) => <p key={at} class={`taken diff ${passage.kind}`}><Passage kind={passage.kind} text={passage.text} /></p>)}</li>
      ))}</ul>
      <p class="acts">{preview.value.notes.length > 0 && <button type="button" class="primary" onClick={() => void undo({ by, since, path })}>Take it all back</button>}
        <button type="button" onClick={() => (preview.value = null)}>Leave it</button> <span class="muted small">What people wrote stays.</span></p>
    </section>
  );
}

/** What goes, what comes back, and what a person has to decide; told to those who hear it too. */
function Passage({ kind, text }: Answers["undo"]["notes"][number]["passages"][number]) {
  if (kind === "remove") return <del><span class="hidden">goes: </span>{text}</del>;
  if (kind === "restore") return <ins><span class="hidden">comes back: </span>{text}</ins>;
  return <>needs you: {text}</>;
}

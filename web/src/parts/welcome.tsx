// The greeting, for a browser that has opened no note yet: three things to do first.

import { useSignal } from "@preact/signals";

import { post } from "../api.ts";
import { closed, complain, dialog, hrefOf, loadNotes, type Note, open, pendingTotal, readOnly } from "../store.ts";
import { nameOf } from "../text/paths.ts";

/** Names that a vault's first page tends to have, best first. */
const FIRST = ["start here.md", "readme.md", "index.md", "home.md"];
const EXAMPLE = "Try a suggestion.md";
const EXAMPLE_TEXT = `# Try a suggestion

An assistant's edit waits in the text until somebody decides: the sky is {~~green~>blue~~} today.

Accept or reject it in the panel beside the text. Then delete this note.
`;

export function Welcome({ notes }: { notes: readonly Note[] }) {
  const busy = useSignal(false);
  const first = firstToRead(notes);
  const example = async () => {
    busy.value = true;
    try {
      if (!notes.some((note) => note.path === EXAMPLE)) await post("notes", { path: EXAMPLE, content: EXAMPLE_TEXT });
      await loadNotes();
      open(EXAMPLE);
    } catch (error) {
      complain(error);
    }
    busy.value = false;
  };
  return (
    <section class="welcome" aria-label="Three things to do first">
      <h2>Welcome</h2>
      <ol>
        {first && <li><a href={hrefOf(first)}>Read {nameOf(first)}</a>. What you type is saved as you type, and any other program may have the file open too.</li>}
        {!closed.value.has("connect") && <li><button type="button" class="link" onClick={() => (dialog.value = { kind: "connect" })}>Connect an assistant</button>, so that it can read and search here.</li>}
        {pendingTotal.value > 0 ? <li><a href="#review">Decide</a> on what assistants have suggested.</li>
          : !readOnly.value && <li><button type="button" class="link" disabled={busy.value} onClick={() => void example()}>Try a suggestion</button>: makes a small note with one to accept or reject.</li>}
      </ol>
    </section>
  );
}

function firstToRead(notes: readonly Note[]): string | undefined {
  const top = new Map(notes.map((note) => [note.path.toLowerCase(), note.path]));
  return FIRST.map((name) => top.get(name)).find(Boolean) ?? notes[0]?.path;
}

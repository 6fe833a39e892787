// The greeting, for a browser that has opened no note yet: three things to do first, and the note that
// the vault begins with, to be read at once.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { get, post } from "../api.ts";
import { accepted, base } from "../critic/index.ts";
import { followLink } from "../link.ts";
import { closed, complain, dialog, hrefOf, isDark, keepBreaks, loadNotes, type Note, open, pendingTotal, readOnly } from "../store.ts";
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
  const beginning = beginningOf(notes);
  const first = beginning ?? notes[0]?.path;
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
  return (<>
    <section class="welcome" aria-label="Three things to do first">
      <h2>Welcome</h2>
      <ol>
        {first && <li><a href={hrefOf(first)}>Read {nameOf(first)}</a>. What you type is saved as you type, and any other program may have the file open too.</li>}
        {!closed.value.has("connect") && <li><button type="button" class="link" onClick={() => (dialog.value = { kind: "connect" })}>Connect an assistant</button>, so that it can read and search here.</li>}
        {pendingTotal.value > 0 ? <li><a href="#review">Decide</a> on what assistants have suggested.</li>
          : !readOnly.value && <li><button type="button" class="link" disabled={busy.value} onClick={() => void example()}>Try a suggestion</button>: makes a small note with one to accept or reject.</li>}
      </ol>
    </section>
    {beginning && <Beginning path={beginning} />}
  </>);
}

/** A note as it reads, what is undecided in it marked. */
function Beginning({ path }: { path: string }) {
  const box = useRef<HTMLElement>(null);
  const [dark, breaks] = [isDark.value, keepBreaks.value];
  useEffect(() => {
    let over = false;
    const show = async () => {
      const [preview, { text }] = await Promise.all([import("../preview.ts"), get("note", { path })]);
      if (over || !box.current) return;
      const wishes = { path, follow: followLink, properties: false };
      await preview.showNote(box.current, accepted(text), wishes).complete;
      if (!over && accepted(text) !== base(text)) await preview.showChanges(box.current, base(text), wishes, () => over);
    };
    // Whoever cannot have it now finds its link above.
    show().catch(() => undefined);
    return () => { over = true; };
  }, [path, dark, breaks]);
  return <article ref={box} class="prose beginning" aria-label={nameOf(path)} />;
}

/** The note that a vault begins with, if it has one that is named so. */
function beginningOf(notes: readonly Note[]): string | undefined {
  const top = new Map(notes.map((note) => [note.path.toLowerCase(), note.path]));
  return FIRST.map((name) => top.get(name)).find(Boolean);
}

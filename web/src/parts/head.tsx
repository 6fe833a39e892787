// The head of a note: where it is, who is here, whether all is saved, how one works on it.

import type { EditorView } from "@codemirror/view";
import type { Signal } from "@preact/signals";

import { printNote } from "../commands.ts";
import type { Mode } from "../editor/editor.ts";
import { front, switchProperties } from "../editor/frontmatter.ts";
import type { Present } from "../editor/presence.ts";
import type { Connection, Session } from "../live/session.ts";
import { colourOf, personName, shownName } from "../person.ts";
import { dialog, keepBreaks, panelOpen, readOnly, sidebarOpen } from "../store.ts";
import { folderOf, nameOf } from "../text/paths.ts";
import { Icon } from "./icon.tsx";

interface Props {
  readonly view: EditorView | null;
  readonly path: string;
  readonly session: Session | null;
  readonly people: readonly Present[];
  readonly mode: Mode;
  readonly beside: Signal<boolean>;
  readonly setMode: (mode: Mode) => void;
}

const MODES: readonly [Mode, string][] = [["write", "Write"], ["suggest", "Suggest"], ["read", "Read"]];
// Nothing can be written in a vault that is only read; its text can still be looked at.
const CLOSED: readonly [Mode, string][] = [["write", "Text"], ["read", "Read"]];

export function NoteHead({ view, path, session, people, mode, beside, setMode }: Props) {
  return (
    <header class="note-head">
      <button type="button" class="quiet only-narrow" aria-label="Show all notes" onClick={() => (sidebarOpen.value = true)}><Icon name="menu" /></button>
      <div class="crumbs">
        {folderOf(path) && <span class="muted">{folderOf(path).replaceAll("/", " / ")} / </span>}
        <h1>{nameOf(path)}</h1>
      </div>
      {session && <State session={session} />}
      <People people={people} />
      <div class="segmented" role="group" aria-label="How to work on this note">
        {(readOnly.value ? CLOSED : MODES).map(([name, label]) => <button key={name} type="button" aria-pressed={mode === name} onClick={() => setMode(name)}>{label}</button>)}
      </div>
      <Menu view={view} path={path} beside={beside} />
      <button type="button" class="quiet" aria-label="Side panel" aria-pressed={panelOpen.value} onClick={() => (panelOpen.value = !panelOpen.value)}><Icon name="panel" /></button>
    </header>
  );
}

const STATES: Record<Connection, string> = {
  connecting: "Connecting", live: "", offline: "Offline, your work is kept", gone: "This note is gone", refused: "Not allowed",
};

function State({ session }: { session: Session }) {
  const connection = session.connection.value;
  const saved = readOnly.value ? "Read only" : session.saved.value ? "Saved" : "Saving";
  const text = connection === "live" ? saved : STATES[connection];
  return <span class={`state ${connection}${session.saved.value ? " saved" : ""}`} role="status" title={session.reason.value}>{text}</span>;
}

function People({ people }: { people: readonly Present[] }) {
  const seen = new Map<string, Present>();
  for (const one of people) seen.set(`${one.name}${one.assistant}`, one);
  const shown = [...seen.values()].slice(0, 5);
  return (
    <ul class="people" aria-label="Who is here">
      {shown.map((one) => (
        <li key={one.client} class={`avatar ${colourOf(one.name)}${one.assistant ? " assistant" : ""}`} title={one.assistant ? `${one.name} (assistant)` : one.name}>
          <span aria-hidden="true">{one.assistant ? "✦" : [...one.name][0]}</span><span class="hidden">{one.name}{one.assistant ? ", an assistant" : ""}</span>
        </li>
      ))}
      {seen.size > shown.length && <li class="avatar slate">+{seen.size - shown.length}</li>}
      <li>
        <button type="button" class={`avatar me ${colourOf(shownName())}`} title={personName.value ? `${personName.value} (you)` : "Say who you are"} aria-label={`You: ${shownName()}. Change your name`} onClick={() => (dialog.value = { kind: "name" })}>
          {personName.value ? [...personName.value.trim()][0] : "?"}
        </button>
      </li>
    </ul>
  );
}

function Menu({ view, path, beside }: Pick<Props, "view" | "path" | "beside">) {
  const properties = view?.state.field(front);
  const choose = (run: () => void) => (event: MouseEvent) => {
    (event.currentTarget as Element).closest("details")?.removeAttribute("open");
    run();
  };
  return (
    <details class="menu" onKeyDown={(event) => event.key === "Escape" && event.currentTarget.removeAttribute("open")}
      onFocusOut={(event) => { if (!event.currentTarget.contains(event.relatedTarget as Node | null)) event.currentTarget.removeAttribute("open"); }}>
      <summary class="quiet" aria-label="More"><Icon name="more" /></summary>
      <div class="menu-list">
        <button type="button" onClick={choose(() => (beside.value = !beside.value))}>{beside.value ? "Hide the preview" : "Preview beside"}</button>
        <button type="button" aria-pressed={keepBreaks.value} onClick={choose(() => (keepBreaks.value = !keepBreaks.value))}>{keepBreaks.value ? "Join single lines" : "Keep single line breaks"}</button>
        <button type="button" onClick={choose(printNote)}>Print</button>
        {view && (properties?.block || !readOnly.value) && <button type="button" onClick={choose(() => switchProperties(view))}>{properties?.block ? "Properties as form or text" : "Add properties"}</button>}
        {!readOnly.value && <button type="button" onClick={choose(() => (dialog.value = { kind: "rename", path }))}>Rename or move</button>}
        {!readOnly.value && <button type="button" onClick={choose(() => (dialog.value = { kind: "delete", path }))}>Delete</button>}
      </div>
    </details>
  );
}

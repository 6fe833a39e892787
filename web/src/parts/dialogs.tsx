// The dialogs: help, connect, your name, a comment, and making, renaming and deleting notes.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { get, maybe, post } from "../api.ts";
import { commands, shownKey } from "../commands.ts";
import { moveNote, withSuffix } from "../moving.ts";
import { NAME_MAX, personName } from "../person.ts";
import { complain, type Dialog, letterKeys, loadNotes, open, openText, place, tell } from "../store.ts";
import { visible } from "../text/invisible.ts";
import { nameOf } from "../text/paths.ts";
import { Connect } from "./connect.tsx";
import { CreateFolder, RenameFolder } from "./folder_dialogs.tsx";
import { close, Modal } from "./modal.tsx";
import { MoveFile } from "./move_file.tsx";

const PASSAGE_SHOWN = 160;

export function Shown({ dialog: now }: { dialog: Exclude<Dialog, null | { kind: "palette" }> }) {
  switch (now.kind) {
    case "help": return <Help />;
    case "connect": return <Connect />;
    case "name": return <Name />;
    case "create": return <Create path={now.path} template={now.template} />;
    case "comment": return <Comment path={now.path} passage={now.passage} />;
    case "rename": return <Rename path={now.path} />;
    case "move-file": return <MoveFile path={now.path} />;
    case "delete": return <Delete path={now.path} />;
    case "create-folder": return <CreateFolder path={now.path} />;
    case "rename-folder": return <RenameFolder path={now.path} />;
  }
}

function Help() {
  return (
    <Modal title="Keyboard" class="help">
      <p class="muted">Single letters work only where nothing can be typed: in the list of notes, in lists, while reading. Everything is also in the palette: press <kbd>{shownKey("Mod+k")}</kbd> and type <kbd>&gt;</kbd>.</p>
      <label class="check"><input type="checkbox" checked={letterKeys.value} onChange={() => (letterKeys.value = !letterKeys.value)} /> Single letters are commands</label>
      <dl class="keys">
        {commands.filter((command) => command.key).map((command) => <div key={command.title}><dt><kbd>{shownKey(command.key!)}</kbd></dt><dd>{command.title}</dd></div>)}
        {MORE_KEYS.map(([key, title]) => <div key={title}><dt><kbd>{shownKey(key)}</kbd></dt><dd>{title}</dd></div>)}
      </dl>
    </Modal>
  );
}

const MORE_KEYS: readonly [key: string, title: string][] = [
  ["Mod+B", "Bold"], ["Mod+I", "Italic"], ["Mod+K", "Link what is selected in the text; else find"],
  ["Tab", "Move items of a list a level in"], ["Shift+Tab", "Move items of a list a level out"], ["Esc Tab", "Leave the text for what comes next"],
  ["Mod+Enter", "Accept the suggestion at the cursor, too"], ["Alt+Enter", "Follow the link at the cursor"], ["Alt+↑ ↓", "Previous or next suggestion while writing"], ["Mod+F", "Find in this note"], ["Mod+Z", "Undo"],
  ["J K", "Down and up in the review queue"], ["X", "Choose a suggestion in the queue"], ["A R", "Accept or reject in the queue, or in a change set"], ["[ ]", "Previous or next note of a change set"], ["E W C", "In a change set: edit and accept, reject with a reason, comment"], ["B V", "In a change set: old beside new, mark the note as viewed"], ["S M T", "In a change set: split the note off, merge with another set, give it a title"],
  ["F2", "Rename what is chosen in the list of notes"], ["Shift+F10", "Menu of what is chosen in the list of notes"], ["Esc", "Leave a dialog, a card, the editor's search"],
];

function Name() {
  const typed = useSignal(personName.value);
  const save = (event: Event) => {
    event.preventDefault();
    personName.value = typed.value.trim().slice(0, NAME_MAX);
    close();
  };
  return (
    <Modal title="Who are you?">
      <form onSubmit={save}>
        <label class="field">Your name, as others see it<input autofocus maxLength={NAME_MAX} value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} /></label>
        <div class="modal-acts"><button type="submit" class="primary">Save</button></div>
      </form>
    </Modal>
  );
}

function Create({ path, template }: { path: string; template: string }) {
  const typed = useSignal(path);
  const chosen = useSignal(template);
  const templates = useSignal<string[]>([]);
  const wrong = useSignal("");
  useEffect(() => {
    void maybe(get("templates")).then((answer) => (templates.value = answer?.templates ?? []));
  }, []);
  const make = async (event: Event) => {
    event.preventDefault();
    const wanted = withSuffix(typed.value);
    try {
      const content = await contentOf(chosen.value, wanted);
      const made = await post<{ path: string }>("notes", { path: wanted, content });
      await loadNotes();
      openText(made.path, "", "end");
      close();
    } catch (error) {
      wrong.value = error instanceof Error ? error.message : "It could not be made.";
    }
  };
  return (
    <Modal title="New note">
      <form onSubmit={(event) => void make(event)}>
        <label class="field">Name, with folders if you like<input autofocus required value={typed.value} placeholder="Projects/Garden" onInput={(event) => (typed.value = event.currentTarget.value)} /></label>
        {templates.value.length > 0 && (
          <label class="field">Begin with<select value={chosen.value} onChange={(event) => (chosen.value = event.currentTarget.value)}><option value="">an empty note</option>{templates.value.map((each) => <option key={each} value={each}>{nameOf(each)}</option>)}</select></label>
        )}
        {wrong.value && <p class="wrong" role="alert">{wrong.value}</p>}
        <div class="modal-acts"><button type="submit" class="primary">Create</button></div>
      </form>
    </Modal>
  );
}

async function contentOf(template: string, path: string): Promise<string> {
  if (!template) return `# ${nameOf(path)}\n\n`;
  const { text } = await get("note", { path: template });
  const today = new Date().toLocaleDateString("sv");
  return text.replaceAll("{{title}}", nameOf(path)).replaceAll("{{date}}", today);
}

function Comment({ path, passage }: { path: string; passage: string }) {
  const typed = useSignal("");
  const wrong = useSignal("");
  const send = async (event: Event) => {
    event.preventDefault();
    try {
      await post("comments", { path, passage, text: typed.peek() });
      close();
      tell("Your comment is in the note.");
    } catch (error) {
      wrong.value = error instanceof Error ? error.message : "It could not be written.";
    }
  };
  return (
    <Modal title="Comment">
      <form onSubmit={(event) => void send(event)}>
        <p class="muted">“{visible(passage.length > PASSAGE_SHOWN ? `${passage.slice(0, PASSAGE_SHOWN)}…` : passage)}”</p>
        <label class="field">Your comment, kept in the note for everybody<input autofocus required value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} /></label>
        {wrong.value && <p class="wrong" role="alert">{wrong.value}</p>}
        <div class="modal-acts"><button type="submit" class="primary">Comment</button></div>
      </form>
    </Modal>
  );
}

function Rename({ path }: { path: string }) {
  const typed = useSignal(path.replace(/\.md$/i, ""));
  const wrong = useSignal("");
  const rename = async (event: Event) => {
    event.preventDefault();
    try {
      await moveNote(path, typed.value);
      close();
    } catch (error) {
      wrong.value = error instanceof Error ? error.message : "It could not be renamed.";
    }
  };
  return (
    <Modal title="Rename or move">
      <form onSubmit={(event) => void rename(event)}>
        <label class="field">Name, with its folders<input autofocus required value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} /></label>
        <p class="muted small">Links in other notes follow.</p>
        {wrong.value && <p class="wrong" role="alert">{wrong.value}</p>}
        <div class="modal-acts"><button type="submit" class="primary">Rename</button></div>
      </form>
    </Modal>
  );
}

function Delete({ path }: { path: string }) {
  const linked = useSignal<number | null>(null);
  useEffect(() => {
    void maybe(get("links", { path })).then((answer) => (linked.value = answer ? new Set(answer.backlinks.map((link) => link.path)).size : null));
  }, []);
  const remove = async () => {
    try {
      const { trash } = await post<{ trash: string }>("notes/delete", { path });
      close();
      const now = place.peek();
      if (now.view === "note" && now.path === path) location.hash = "";
      tell(`${nameOf(path)} is in the trash.`, { label: "Undo", run: () => void restore(trash) });
      await loadNotes();
    } catch (error) {
      complain(error);
      close();
    }
  };
  return (
    <Modal title={`Delete ${nameOf(path)}?`}>
      <p>It moves to the vault's trash{linked.value ? `; ${linked.value === 1 ? "one note links" : `${linked.value} notes link`} to it` : ""}.</p>
      <div class="modal-acts"><button type="button" onClick={close}>Keep it</button><button type="button" class="reject" autofocus onClick={() => void remove()}>Delete</button></div>
    </Modal>
  );
}

async function restore(trash: string): Promise<void> {
  try {
    const { path } = await post<{ path: string }>("notes/restore", { trash });
    await loadNotes();
    open(path);
  } catch (error) {
    complain(error);
  }
}

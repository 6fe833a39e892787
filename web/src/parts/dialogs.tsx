// The dialogs: help, connect, your name, and making, renaming and deleting notes.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { type Answers, type Assistant, get, maybe, post } from "../api.ts";
import { commands, shownKey } from "../commands.ts";
import { assistantsChanged } from "../events.ts";
import { NAME_MAX, personName } from "../person.ts";
import { complain, type Dialog, followMove, loadNotes, open, place, tell } from "../store.ts";
import { age } from "../text/age.ts";
import { nameOf } from "../text/paths.ts";
import { Icon } from "./icon.tsx";
import { close, Modal } from "./modal.tsx";

export function Shown({ dialog: now }: { dialog: Exclude<Dialog, null | { kind: "palette" }> }) {
  switch (now.kind) {
    case "help": return <Help />;
    case "connect": return <Connect />;
    case "name": return <Name />;
    case "create": return <Create path={now.path} template={now.template} />;
    case "rename": return <Rename path={now.path} />;
    case "delete": return <Delete path={now.path} />;
  }
}

function Help() {
  const more: readonly [string, string][] = [
    ["Alt+Enter", "Follow the link at the cursor"], ["Alt+↑ ↓", "Previous or next suggestion while writing"], ["Mod+F", "Find in this note"], ["Mod+Z", "Undo"],
    ["J K", "Down and up in the review queue"], ["X", "Choose a suggestion in the queue"], ["A R", "Accept or reject in the queue"], ["Esc", "Leave a dialog, a card, the editor's search"],
  ];
  return (
    <Modal title="Keyboard" class="help">
      <p class="muted">Single letters work while you are not writing. Everything is also in the palette: press <kbd>{shownKey("Mod+k")}</kbd> and type <kbd>&gt;</kbd>.</p>
      <dl class="keys">
        {commands.filter((command) => command.key).map((command) => <div key={command.title}><dt><kbd>{shownKey(command.key!)}</kbd></dt><dd>{command.title}</dd></div>)}
        {more.map(([key, title]) => <div key={title}><dt><kbd>{shownKey(key)}</kbd></dt><dd>{title}</dd></div>)}
      </dl>
    </Modal>
  );
}

const CLIENTS = [["claude", "Claude Code", "Run this in a terminal."], ["desktop", "Claude Desktop", "Put this into claude_desktop_config.json."], ["cursor", "Cursor", "Put this into ~/.cursor/mcp.json."], ["vscode", "VS Code", "Put this into .vscode/mcp.json."]] as const;

/** What to paste when the server does not say: its address is known anyway. */
function connectHere(): Answers["connect"] {
  const url = `${location.origin}/mcp`;
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return {
    claude: `claude mcp add --transport http commonplace ${url}`,
    desktop: json({ mcpServers: { commonplace: { command: "commonplace", args: ["mcp"] } } }),
    cursor: json({ mcpServers: { commonplace: { url } } }),
    vscode: json({ servers: { commonplace: { type: "http", url } } }),
  };
}

function Connect() {
  const texts = useSignal<Answers["connect"]>(connectHere());
  const assistants = useSignal<Assistant[] | null>(null);
  const told = assistantsChanged.value;
  useEffect(() => {
    void maybe(get("connect")).then((answer) => answer && (texts.value = answer));
  }, []);
  useEffect(() => {
    void maybe(get("assistants")).then((answer) => (assistants.value = answer?.assistants ?? null));
  }, [told]);
  return (
    <Modal title="Connect your assistant" class="connect">
      {CLIENTS.map(([name, label, how]) => (
        <section key={name} class="client">
          <h3>{label}</h3><p class="muted small">{how}</p>
          <Copied text={texts.value[name]} label={label} />
        </section>
      ))}
      {assistants.value && (
        <section class="client"><h3>Assistants</h3>
          {!assistants.value.length && <p class="muted small">None has connected yet.</p>}
          <ul class="assistants">{assistants.value.map((one) => (
            <li key={one.name}><span class={`dot${one.connected ? " on" : ""}`} aria-hidden="true" />{one.name}<span class="hidden">{one.connected ? ", connected" : ", not connected"}</span>
              {one.last && <span class="muted small">{one.last.tool} {one.last.path} {age(one.last.time)}</span>}</li>
          ))}</ul>
        </section>
      )}
    </Modal>
  );
}

function Copied({ text, label }: { text: string; label: string }) {
  const done = useSignal(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => (done.value = true), complain);
  return (
    <div class="copied">
      <pre tabIndex={0} aria-label={`For ${label}`}>{text}</pre>
      <button type="button" class="small" aria-label={`Copy for ${label}`} onClick={copy}><Icon name={done.value ? "check" : "copy"} />{done.value ? "Copied" : "Copy"}</button>
    </div>
  );
}

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

function withSuffix(path: string): string {
  const trimmed = path.trim().replace(/^\/+/, "");
  return /\.md$/i.test(trimmed) ? trimmed : `${trimmed}.md`;
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
      open(made.path);
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

function Rename({ path }: { path: string }) {
  const typed = useSignal(path.replace(/\.md$/i, ""));
  const wrong = useSignal("");
  const rename = async (event: Event) => {
    event.preventDefault();
    try {
      const done = await post<{ path: string; links: number; ambiguous: string[]; undo?: string }>("notes/rename", { path, to: withSuffix(typed.value) });
      const left = done.ambiguous.length ? ` ${done.ambiguous.length} were unclear and stay as they are.` : "";
      tell(`Renamed; ${done.links === 1 ? "1 link follows" : `${done.links} links follow`}.${left}`, done.undo ? { label: "Undo", run: () => void unrename(done.path, done.undo!) } : undefined);
      await loadNotes();
      followMove(path, done.path);
      open(done.path);
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

async function unrename(from: string, undo: string): Promise<void> {
  try {
    const { path } = await post<{ path: string }>("notes/rename/undo", { undo });
    await loadNotes();
    followMove(from, path);
    open(path);
  } catch (error) {
    complain(error);
  }
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
      if (place.peek().view === "note") location.hash = "";
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

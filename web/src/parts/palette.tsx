// One box for finding: notes by name, commands after `>`, and a new note if there is none.

import { useComputed, useSignal, useSignalEffect } from "@preact/signals";

import { commands, shownKey } from "../commands.ts";
import { type Named, otherNames, ranked } from "../names.ts";
import { dialog, notes, openSearch, openText, readOnly, recent } from "../store.ts";
import { find } from "../text/fuzzy.ts";
import { folderOf, nameOf } from "../text/paths.ts";
import { Icon, type IconName } from "./icon.tsx";
import { close, Modal } from "./modal.tsx";

interface Item {
  readonly key: string;
  readonly icon: IconName;
  readonly title: string;
  readonly detail: string;
  readonly run: () => void;
}

const LIMIT = 50;
const WAIT_MS = 60;

export function Palette({ typed }: { typed: string }) {
  const query = useSignal(typed);
  const at = useSignal(0);
  const others = useSignal<{ readonly typed: string; readonly names: readonly Named[] }>({ typed: "", names: [] });
  useSignalEffect(() => {
    const asked = query.value;
    if (!asked.trim() || asked.startsWith(">")) return undefined;
    const timer = setTimeout(() => void otherNames(asked).then((names) => { if (asked === query.peek()) others.value = { typed: asked, names }; }), WAIT_MS);
    return () => clearTimeout(timer);
  });
  const items = useComputed(() => (query.value.startsWith(">") ? commandItems(query.value.slice(1)) : noteItems(query.value, others.value.typed === query.value ? others.value.names : [])));
  const chosen = Math.min(at.value, items.value.length - 1);
  const choose = (item: Item | undefined) => {
    if (!item) return;
    close();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) at.value = (chosen + step + items.value.length) % Math.max(1, items.value.length);
    else if (event.key === "Enter") choose(items.value[chosen]);
    else return;
    event.preventDefault();
    document.getElementById(`found-${at.value}`)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <Modal title="Find a note or command" class="palette" bare>
      <input class="palette-input" role="combobox" aria-label="Find a note, or type > for commands" aria-expanded="true" aria-controls="found"
        aria-activedescendant={chosen >= 0 ? `found-${chosen}` : undefined} autofocus placeholder="Find a note, or type > for commands" value={query.value}
        onInput={(event) => { query.value = event.currentTarget.value; at.value = 0; }} onKeyDown={onKeyDown} />
      <ul id="found" class="palette-list" role="listbox" aria-label="Found">
        {items.value.map((item, index) => (
          <li id={`found-${index}`} key={item.key} role="option" aria-selected={index === chosen} class={index === chosen ? "chosen" : ""}
            onMouseMove={() => (at.value = index)} onClick={() => choose(item)}>
            <Icon name={item.icon} /><span class="title">{item.title}</span><span class="detail">{item.detail}</span>
          </li>
        ))}
      </ul>
      <footer class="palette-foot"><span><kbd>↑</kbd> <kbd>↓</kbd> choose</span><span><kbd>Enter</kbd> open</span><span><kbd>&gt;</kbd> commands</span></footer>
    </Modal>
  );
}

/** By which of its names a note was found, said beside the name that stands in lists. */
function noteItem({ path, name, kind }: Named): Item {
  if (kind === "heading") return { key: `${path}#${name}`, icon: "file", title: name, detail: `heading in ${nameOf(path)}`, run: () => openText(path, name) };
  const folder = folderOf(path);
  const called = name ? `${kind === "alias" ? "also" : "title"}: ${name}` : "";
  return { key: path, icon: "file", title: nameOf(path), detail: [called, folder].filter(Boolean).join(" · "), run: () => openText(path) };
}

function noteItems(query: string, others: readonly Named[]): Item[] {
  const wanted = query.trim();
  const all = notes.value ?? [];
  if (!wanted) {
    const known = new Set(all.map((note) => note.path));
    const last = recent.value.filter((path) => known.has(path));
    const rest = all.slice(0, LIMIT).map((note) => note.path).filter((path) => !last.includes(path));
    return [...last, ...rest].slice(0, LIMIT).map((path) => noteItem({ path, name: "", kind: "file" }));
  }
  const found = ranked(wanted, others, LIMIT).map(noteItem);
  const exact = all.some((note) => note.key === wanted.toLowerCase() || nameOf(note.path).toLowerCase() === wanted.toLowerCase());
  const more: Item[] = [{ key: "search", icon: "search", title: `Search for “${wanted}”`, detail: "in all texts", run: () => openSearch(wanted) }];
  if (!exact && !readOnly.value) {
    more.unshift({ key: "create", icon: "plus", title: `Create “${wanted}”`, detail: "new note", run: () => (dialog.value = { kind: "create", path: wanted, template: "" }) });
  }
  return [...found, ...more];
}

function commandItems(query: string): Item[] {
  const usable = commands.filter((command) => command.when?.() ?? true);
  const found = query.trim() ? find(query, usable, (command) => command.title.toLowerCase(), LIMIT).map(({ item }) => item) : usable;
  return found.map((command) => ({
    key: command.title, icon: "chevron" as const, title: command.title, detail: command.key ? shownKey(command.key) : "",
    run: () => setTimeout(command.run),
  }));
}

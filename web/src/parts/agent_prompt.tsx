// Where one asks an agent: the prompt, what is meant by "this", and what completes while writing it.

import type { EditorView } from "@codemirror/view";
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { act, agents, ask, talk } from "../agent.ts";
import { completeName, otherNames } from "../names.ts";
import { notes, promptWanted, resolver, tell } from "../store.ts";
import { folderOf, linkTo, nameOf } from "../text/paths.ts";

const IMAGE_BYTES_MAX = 2_500_000;
const IMAGES = "image/png,image/jpeg,image/webp,image/gif";
const NOTES_MAX = 20_000;
const FOLDERS_MAX = 20;
const LINK = /\[\[([^\]|#]+)/g;
const HALF_LINK = /\[\[([^[\]\n|#^]*)$/;
const HALF_COMMAND = /^\/(\S*)$/;

interface Option {
  readonly label: string;
  readonly detail: string;
  /** The prompt up to the cursor, once this is chosen. */
  readonly before: string;
}

export function Asking({ view, path }: { view: EditorView | null; path: string }) {
  const text = useSignal("");
  const cursor = useSignal(0);
  const at = useSignal(0);
  const closed = useSignal("");
  const chosen = useSignal("");
  const folders = useSignal<readonly string[]>([]);
  const withNote = useSignal(true);
  const withSelection = useSignal(true);
  const image = useSignal<{ data: string; type: string } | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (promptWanted.value) setTimeout(() => field.current?.focus());
    promptWanted.value = false;
  }, [promptWanted.value]);
  const busy = talk.value?.state === "working" || talk.value?.state === "starting";
  const main = view?.state.selection.main;
  const selection = main ? view.state.sliceDoc(main.from, main.to) : "";
  const agent = talk.value?.agent ?? (chosen.value || agents.value?.[0]?.name || "");
  const pictures = talk.value?.pictures !== false;
  const options = useComputed(() => {
    const before = text.value.slice(0, cursor.value);
    return closed.value === before ? [] : optionsFor(before);
  });
  const linked = useComputed(() => [...new Set([...text.value.matchAll(LINK)].map(([, name]) => resolver.value.resolve(name!.trim(), path)).filter((found): found is string => !!found))]);

  const send = async () => {
    if (!text.value.trim() || busy) return;
    const meant = [...new Set([...(withNote.value && path ? [path] : []), ...linked.value])];
    const context = { notes: meant, selection: withSelection.value ? selection : "", selected_in: path, ...(image.value && pictures && { image: image.value.data, image_type: image.value.type }) };
    const asked = text.value;
    text.value = "";
    if (await ask(agent, asked, context, folders.value)) image.value = null;
    else text.value = asked;
  };
  const take = (option: Option) => {
    const rest = text.peek().slice(cursor.peek()).replace(option.before.endsWith("]]") ? /^\]\]/ : /^ /, "");
    text.value = option.before + rest;
    closed.value = option.before;
    cursor.value = option.before.length;
    at.value = 0;
    requestAnimationFrame(() => { field.current?.focus(); field.current?.setSelectionRange(option.before.length, option.before.length); });
  };
  const look = (area: HTMLTextAreaElement) => {
    text.value = area.value;
    if (cursor.peek() !== area.selectionStart) at.value = 0;
    cursor.value = area.selectionStart;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const listed = options.value;
    const by = ({ ArrowDown: 1, ArrowUp: -1 } as Record<string, number>)[event.key];
    const one = listed[at.value];
    if (one && by) at.value = (at.value + by + listed.length) % listed.length;
    else if (one && (event.key === "Enter" || event.key === "Tab")) take(one);
    else if (one && event.key === "Escape") closed.value = text.value.slice(0, cursor.value);
    else if (event.key === "Enter" && !event.shiftKey) void send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const takePicture = (files: Iterable<File>): boolean => {
    const file = [...files].find((each) => IMAGES.includes(each.type));
    if (!file) return false;
    if (!pictures) tell(`${agent} takes no pictures.`, undefined, "error");
    else if (file.size > IMAGE_BYTES_MAX) tell("That picture is over 2.5 MB. Choose a smaller one.", undefined, "error");
    else {
      const reader = new FileReader();
      reader.onload = () => (image.value = { data: String(reader.result).split(",")[1] ?? "", type: file.type });
      reader.readAsDataURL(file);
    }
    return true;
  };
  if (!agents.value!.length) return null;
  const listed = options.value;
  const many = (notes.value?.length ?? 0) > NOTES_MAX;
  return (
    <form onSubmit={(event) => { event.preventDefault(); void send(); }}>
      {!talk.value && <Folders folders={folders} many={many} />}
      <div class="chips" role="group" aria-label="What is meant">
        {path && <button type="button" aria-pressed={withNote.value} onClick={() => (withNote.value = !withNote.value)}>{nameOf(path)}</button>}
        {selection && <button type="button" aria-pressed={withSelection.value} onClick={() => (withSelection.value = !withSelection.value)}>Selection ({selection.length.toLocaleString()})</button>}
        {linked.value.filter((each) => each !== path).map((each) => <span key={each} class="badge">{nameOf(each)}</span>)}
        {image.value && <button type="button" aria-label="Leave the picture out" onClick={() => (image.value = null)}><img alt="" src={`data:${image.value.type};base64,${image.value.data}`} /> Picture ×</button>}
      </div>
      <div class="completing">
        {listed.length > 0 && <ul class="options" id="agent-options" role="listbox" aria-label="Completions">{listed.map((option, index) => (
          <li key={option.before} id={`agent-option-${index}`} role="option" aria-selected={index === at.value} onPointerDown={(event) => { event.preventDefault(); take(option); }}><span>{option.label}</span> <span class="muted small">{option.detail}</span></li>
        ))}</ul>}
        <textarea ref={field} aria-label="Ask the agent" placeholder="Ask for a change. [[ names other notes, / a command of the agent." value={text.value}
          aria-autocomplete="list" {...(listed.length > 0 && { "aria-controls": "agent-options", "aria-activedescendant": `agent-option-${at.value}` })}
          onInput={(event) => look(event.currentTarget)} onClick={(event) => look(event.currentTarget)} onKeyUp={(event) => look(event.currentTarget)} onKeyDown={onKeyDown}
          onPaste={(event) => { if (takePicture(event.clipboardData?.files ?? [])) event.preventDefault(); }} />
      </div>
      <div class="row">
        {!talk.value && agents.value!.length > 1 && <select aria-label="Agent" value={agent} onChange={(event) => (chosen.value = event.currentTarget.value)}>{agents.value!.map((one) => <option key={one.name} value={one.name}>{one.name}{one.installed ? "" : " (not installed)"}</option>)}</select>}
        {pictures && <label class="picture link small">Picture<input type="file" accept={IMAGES} onChange={(event) => { takePicture(event.currentTarget.files ?? []); event.currentTarget.value = ""; }} /></label>}
        <span class="grow" />
        {busy && <button type="button" onClick={() => void act("stop")}>Stop</button>}
        <button type="submit" class="primary" disabled={busy || !text.value.trim()}>Ask {agent}</button>
      </div>
    </form>
  );
}

/** Which folders the agent finds in its working folder; its tools reach all notes in any case. */
function Folders({ folders, many }: { folders: { value: readonly string[] }; many: boolean }) {
  const all = useComputed(() => [...new Set((notes.value ?? []).flatMap(({ path }) => above(path)))].sort());
  if (!all.value.length) return null;
  return (
    <div class="row small">
      {many && !folders.value.length && <span class="muted">Over {NOTES_MAX.toLocaleString()} notes: without a folder it has its tools only.</span>}
      {folders.value.map((each) => <button key={each} type="button" class="small" aria-label={`Leave out ${each}`} onClick={() => (folders.value = folders.value.filter((one) => one !== each))}>{each} ×</button>)}
      {folders.value.length < FOLDERS_MAX && (
        <select aria-label="Folders it works in" value="" onChange={(event) => { if (event.currentTarget.value) folders.value = [...folders.value, event.currentTarget.value]; }}>
          <option value="">{folders.value.length ? "Another folder" : many ? "Choose a folder" : "Works in all notes"}</option>
          {all.value.filter((each) => !folders.value.includes(each)).map((each) => <option key={each} value={each}>{each}</option>)}
        </select>
      )}
    </div>
  );
}

function above(path: string): string[] {
  const parts = folderOf(path).split("/").filter(Boolean);
  return parts.slice(0, 2).map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** What completes at the end of this: a link, or a command that the agent offers. */
function optionsFor(before: string): readonly Option[] {
  const name = HALF_LINK.exec(before);
  if (name) {
    const start = before.slice(0, name.index);
    void otherNames(name[1]!);  // they come with the next letter
    return completeName(name[1]!).slice(0, 8).map(({ path, alias }) => ({ label: alias || nameOf(path), detail: alias ? nameOf(path) : folderOf(path), before: `${start}${linkTo(path, resolver.value)}` }));
  }
  const command = HALF_COMMAND.exec(before);
  if (!command) return [];
  const offered = (talk.value?.commands ?? []).filter((one) => one.name.startsWith(command[1]!) && one.name !== command[1]);
  return offered.slice(0, 8).map((one) => ({ label: `/${one.name}`, detail: one.description, before: `/${one.name} ` }));
}

// The dialogs of folders: a new one, and another name for one.

import { useSignal } from "@preact/signals";

import { post } from "../api.ts";
import { moveFolder } from "../moving.ts";
import { loadNotes } from "../store.ts";
import { close, Modal } from "./modal.tsx";
import { reveal } from "./tree.tsx";

export function CreateFolder({ path }: { path: string }) {
  const create = async (name: string) => {
    const made = await post<{ path: string }>("folders/create", { path: name });
    await loadNotes();
    reveal(`${made.path}/`);
  };
  return <Ask title="New folder" label="Name, with the folders above it" begin={path ? `${path}/` : ""} verb="Create" act={create} />;
}

export function RenameFolder({ path }: { path: string }) {
  return <Ask title="Rename or move the folder" label="Name, with the folders above it" begin={path} verb="Rename" hint="Links in all notes follow." act={(name) => moveFolder(path, name)} />;
}

interface Props {
  readonly title: string;
  readonly label: string;
  readonly begin: string;
  readonly verb: string;
  readonly hint?: string;
  readonly act: (name: string) => Promise<void>;
}

function Ask({ title, label, begin, verb, hint, act }: Props) {
  const typed = useSignal(begin);
  const wrong = useSignal("");
  const busy = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    try {
      await act(typed.value.trim().replace(/^\/+|\/+$/g, ""));
      close();
    } catch (error) {
      wrong.value = error instanceof Error ? error.message : "It did not work.";
    }
    busy.value = false;
  };
  return (
    <Modal title={title}>
      <form onSubmit={(event) => void submit(event)}>
        <label class="field">{label}<input autofocus required value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} /></label>
        {hint && <p class="muted small">{hint}</p>}
        {wrong.value && <p class="wrong" role="alert">{wrong.value}</p>}
        <div class="modal-acts"><button type="submit" class="primary" disabled={busy.value}>{verb}</button></div>
      </form>
    </Modal>
  );
}

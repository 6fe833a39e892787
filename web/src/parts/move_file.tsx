// The dialog that gives a file of the vault another name or folder.

import { useSignal } from "@preact/signals";

import { post } from "../api.ts";
import { filesArrived, reviewed } from "../events.ts";
import { complain, tell, UNDO } from "../store.ts";
import { close, Modal } from "./modal.tsx";

interface Moved {
  readonly path: string;
  readonly links: number;
  readonly ambiguous: readonly string[];
  readonly undo: string;
}

export function MoveFile({ path }: { path: string }) {
  const typed = useSignal(path);
  const wrong = useSignal("");
  const move = async (event: Event) => {
    event.preventDefault();
    try {
      const done = await post<Moved>("attachments/rename", { path, to: typed.value.trim() });
      const left = done.ambiguous.length ? ` ${done.ambiguous.length} could not follow.` : "";
      tell(`Renamed; ${done.links === 1 ? "1 link follows" : `${done.links} links follow`}.${left}`, { label: UNDO, run: () => void undo(done.undo) });
      look();
      close();
    } catch (error) {
      wrong.value = error instanceof Error ? error.message : "It could not be renamed.";
    }
  };
  return (
    <Modal title="Rename or move the file">
      <form onSubmit={(event) => void move(event)}>
        <label class="field">Name, with its folders<input autofocus required value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} /></label>
        <p class="muted small">Links in all notes follow.</p>
        {wrong.value && <p class="wrong" role="alert">{wrong.value}</p>}
        <div class="modal-acts"><button type="submit" class="primary">Rename</button></div>
      </form>
    </Modal>
  );
}

async function undo(token: string): Promise<void> {
  await post("notes/rename/undo", { undo: token }).then(look, complain);
}

/** What shows files looks again. */
function look(): void {
  filesArrived.value++;
  reviewed.value++;
}

// Files that are pasted or dropped into the text of a note: saved, and linked where they fell.

import type { EditorView } from "@codemirror/view";

import { saveFile } from "./files.ts";
import { complain, readOnly, tell } from "./store.ts";

/** Listen for files on an editor; call what is returned to stop. */
export function takeFiles(view: EditorView, here: { readonly path: string }): () => void {
  const paste = (event: ClipboardEvent) => take(event, event.clipboardData, view.state.selection.main.head);
  const drop = (event: DragEvent) => take(event, event.dataTransfer, view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.head);
  const over = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  };
  const take = (event: Event, data: DataTransfer | null, at: number) => {
    const files = [...(data?.files ?? [])];
    // A program that offers the text as well (a spreadsheet, say) means the text.
    if (!files.length || readOnly.peek() || view.state.readOnly || (event.type === "paste" && data?.types.includes("text/plain"))) return;
    event.preventDefault();
    event.stopPropagation();
    void put(view, files, here.path, at);
  };
  view.dom.addEventListener("paste", paste, true);
  view.dom.addEventListener("drop", drop, true);
  view.dom.addEventListener("dragover", over);
  return () => {
    view.dom.removeEventListener("paste", paste, true);
    view.dom.removeEventListener("drop", drop, true);
    view.dom.removeEventListener("dragover", over);
  };
}

async function put(view: EditorView, files: readonly File[], note: string, at: number): Promise<void> {
  const before = view.state.doc;
  for (const file of files) {
    try {
      const link = await saveFile(note, file);
      if (!view.dom.isConnected) return tell(`${link} was saved, but the note is no longer open.`);
      // Others may have written meanwhile: at the place if nothing moved, else at the cursor.
      const place = view.state.doc === before ? at : view.state.selection.main.head;
      const insert = `![[${link}]]`;
      view.dispatch({ changes: { from: place, insert }, selection: { anchor: place + insert.length }, userEvent: "input.paste", scrollIntoView: true });
      at = place + insert.length;
    } catch (error) {
      complain(error);
    }
  }
}

// What no note can hold is left out of what a person pastes, drops or types: the server refuses it,
// and would close the connection that brings it.
import { EditorSelection, EditorState, type Extension } from "@codemirror/state";

const NUL = "\0";

export function leaveOutUnwritable(): Extension {
  return EditorState.transactionFilter.of((made) => {
    if (!made.docChanged || !made.isUserEvent("input")) return made;
    const changes: { from: number; to: number; insert: string }[] = [];
    let holds = false;
    let end = 0;
    let grown = 0;
    made.changes.iterChanges((from, to, _from, _to, inserted) => {
      const text = inserted.toString();
      const insert = text.replaceAll(NUL, "");
      holds ||= insert.length < text.length;
      changes.push({ from, to, insert });
      end = from + grown + insert.length;
      grown += insert.length - (to - from);
    });
    if (!holds) return made;
    return { changes, selection: EditorSelection.cursor(end), userEvent: "input.paste", scrollIntoView: true };
  });
}

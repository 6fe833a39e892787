// What a click on a link of a note does.

import { dialog, openText, readOnly, resolver } from "./store.ts";
import { fileKind, fileUrl } from "./text/files.ts";
import { folderOf, targetOf } from "./text/paths.ts";

/** Open what a link means; offer to make the note that it names and that is not there. */
export function followLink(link: string, from: string): void {
  const { note, heading } = targetOf(link);
  const path = resolver.peek().resolve(note, from);
  if (path) openText(path, heading);
  else if (fileKind(note)) window.open(fileUrl(note, from), "_blank", "noopener");
  else if (!readOnly.value) dialog.value = { kind: "create", path: folderOf(from) && !note.includes("/") ? `${folderOf(from)}/${note}` : note, template: "" };
}

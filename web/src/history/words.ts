// How the history speaks of what was done.

import type { Revised } from "../api.ts";
import { age } from "../text/age.ts";
import { nameOf } from "../text/paths.ts";

export const CAUSES: Record<string, string> = {
  accept: "accepted a suggestion", reject: "rejected a suggestion", call: "changed it", create: "created it", delete: "deleted it",
  file: "saved the file", offer: "left a question", rename: "renamed it", restore: "restored it", typing: "wrote", undo: "took back changes", withdraw: "withdrew a suggestion",
};

/** A link that follows another note's rename is no rename of the note that it stands in. */
export function deedOf(row: Revised): string {
  if (row.cause === "rename" && !row.was) return "let its links follow a rename";
  return `${CAUSES[row.cause] ?? row.cause}${row.was && row.cause === "rename" ? ` (was ${nameOf(row.was)})` : ""}`;
}

export function sizeOf(row: Revised): string {
  return row.added + row.removed > 0 ? `+${row.added.toLocaleString()} −${row.removed.toLocaleString()}` : "";
}

/** A row as one hears it. */
export function heard(row: Revised): string {
  const size = row.added + row.removed > 0 ? `, ${row.added} characters added, ${row.removed} removed` : "";
  return `${row.by}, ${age(Date.parse(row.time))}, ${nameOf(row.path)}: ${deedOf(row)}${size}`;
}

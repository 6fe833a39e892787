// Who suggested what. Marks may say so themselves; where they do not, the server's ledger knows.

import { type EditorState, Facet } from "@codemirror/state";

import { idOf, type Suggestion } from "../critic/index.ts";
import { get, maybe } from "../api.ts";
import { reading } from "./marks.ts";

export interface Credit {
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly time: number | null;
}

const PAGE = 1000;
const UNKNOWN = "Assistant";

/** What the ledger says, by the ids of suggestions. */
export const ledger = Facet.define<ReadonlyMap<string, Credit>, ReadonlyMap<string, Credit>>({ combine: (all) => all[0] ?? new Map() });

export function creditOf(state: EditorState, one: Suggestion): Credit {
  if (one.author !== null) return { author: one.author, time: one.time === null ? null : one.time * 1000 };
  const known = state.facet(ledger);
  if (!known.size) return { author: UNKNOWN, time: null };
  const { marked, pending } = state.field(reading);
  return known.get(idOf(marked, pending, one)) ?? { author: UNKNOWN, time: null };
}

/** Ask the ledger, if the note holds a mark that does not say whose it is. */
export async function loadCredits(path: string, state: EditorState, known: Map<string, Credit>): Promise<boolean> {
  if (!state.field(reading).pending.some((one) => one.author === null)) return false;
  for (let cursor: string | number | null | undefined = undefined; cursor !== null; ) {
    const found: Awaited<ReturnType<typeof ask>> = await ask(path, cursor);
    for (const { id, author, time } of found?.suggestions ?? []) if (author) known.set(id, { author, time });
    cursor = found?.cursor ?? null;
  }
  return true;
}

function ask(path: string, cursor: string | number | undefined) {
  return maybe(get("suggestions", { path, limit: PAGE, cursor }));
}

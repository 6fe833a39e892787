// Who suggested what. Marks may say so themselves; where they do not, the server's ledger knows.

import { type EditorState, Facet, StateEffect } from "@codemirror/state";

import { idOf, type Suggestion } from "../critic/index.ts";
import { get, maybe } from "../api.ts";
import { reading } from "./marks.ts";

export interface Credit {
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly time: number | null;
  /** Whether another program saved the note without the suggestion, perhaps to reject it. */
  readonly doubted: boolean;
}

const PAGE = 1000;
const UNKNOWN = "Assistant";

/** What the ledger says, by the ids of suggestions. */
export const ledger = Facet.define<ReadonlyMap<string, Credit>, ReadonlyMap<string, Credit>>({ combine: (all) => all[0] ?? new Map() });

/** Says that the ledger was asked again: what shows an author looks at it anew. */
export const credited = StateEffect.define<null>();

export function creditOf(state: EditorState, one: Suggestion): Credit {
  const known = state.facet(ledger);
  const { marked, pending } = state.field(reading);
  const kept = known.size ? known.get(idOf(marked, pending, one)) : undefined;
  const doubted = kept?.doubted ?? false;
  if (one.author !== null) return { author: one.author, time: one.time === null ? null : one.time * 1000, doubted };
  return kept ?? { author: UNKNOWN, time: null, doubted };
}

/** Ask the ledger, if the note holds a mark: whose it is, and whether it was perhaps rejected. */
export async function loadCredits(path: string, state: EditorState, known: Map<string, Credit>): Promise<boolean> {
  if (!state.field(reading).pending.length) return false;
  for (let cursor: string | number | null | undefined = undefined; cursor !== null; ) {
    const found: Awaited<ReturnType<typeof ask>> = await ask(path, cursor);
    for (const { id, author, time, perhaps_rejected: doubted } of found?.suggestions ?? []) {
      if (author || doubted) known.set(id, { author: author ?? UNKNOWN, time, doubted });
    }
    cursor = found?.cursor ?? null;
  }
  return true;
}

function ask(path: string, cursor: string | number | undefined) {
  return maybe(get("suggestions", { path, limit: PAGE, cursor }));
}

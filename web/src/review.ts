// Deciding on suggestions. It happens on the server: two people who decide at once lose nothing.

import { type Decided, get, Missing, post } from "./api.ts";
import { complain, tell } from "./store.ts";

export type Decision = "accept" | "reject";
export type Choice =
  | { readonly suggestions: readonly { readonly path: string; readonly id: string }[] }
  | { readonly path: string }
  | { readonly author: string }
  | { readonly all: true };

export async function decide(decision: Decision, choice: Choice, reason = ""): Promise<Decided | null> {
  try {
    const done = await post<Decided>("review", { decision, ...choice, reason });
    say(decision, done);
    return done;
  } catch (error) {
    if (error instanceof Missing) complain(new Error("This server cannot decide on suggestions yet."));
    else complain(error);
    return null;
  }
}

/** Nothing is accepted that was hidden: now it is shown, and one accepts it once more. */
export function tellHidden(count: number): void {
  tell(`Some lines of ${count === 1 ? "one suggestion" : `${count.toLocaleString()} suggestions`} were hidden. They are shown now: look, then accept.`);
}

function say(decision: Decision, { decided, conflicts, undo }: Decided): void {
  const done = decision === "accept" ? "Accepted" : "Rejected";
  const many = decided.length === 1 ? "1 suggestion" : `${decided.length.toLocaleString()} suggestions`;
  const left = conflicts.length ? ` ${conflicts.length} could not be decided: ${conflicts[0]!.why}` : "";
  tell(`${done} ${many}.${left}`, undo ? { label: "Undo", run: () => void takeBack(undo) } : undefined);
}

async function takeBack(undo: string): Promise<void> {
  try {
    const { undone } = await post<{ undone: number }>("review/undo", { undo });
    tell(undone === 1 ? "One decision undone." : `${undone} decisions undone.`);
  } catch (error) {
    complain(error);
  }
}

export function pendingOf(path: string, limit: number) {
  return get("suggestions", { path, limit });
}

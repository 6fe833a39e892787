// What assistants ask to do: each with what it would change, and an answer to give.

import { useSignal, useSignalEffect } from "@preact/signals";

import { type Approval, get, Missing, post } from "../api.ts";
import { approvals as count, complain, tell } from "../store.ts";
import { age } from "../text/age.ts";

const VERBS: Record<Approval["operation"], string> = { create: "create", update: "change", delete: "delete", rename: "rename" };
const ANSWERS = [["approve", "once", "Allow once"], ["approve", "session", "Allow in this session"], ["approve", "always", "Always allow"], ["deny", "once", "Deny"]] as const;

export function Approvals() {
  const found = useSignal<Approval[] | null | undefined>(undefined);
  const load = () => get("approvals").then((answer) => {
    found.value = answer.approvals;
    count.value = answer.approvals.length;
  }, (error: unknown) => (error instanceof Missing ? (found.value = null) : complain(error)));
  useSignalEffect(() => {
    void count.value;
    void load();
  });
  const answer = async (one: Approval, decision: string, scope: string) => {
    try {
      await post(`approvals/${encodeURIComponent(one.id)}`, { decision, scope });
      tell(decision === "approve" ? `${one.who} may ${VERBS[one.operation]} ${one.path}.` : `${one.who} may not ${VERBS[one.operation]} ${one.path}.`);
    } catch (error) {
      complain(error);
    }
    await load();
  };
  return (
    <main class="view">
      <header class="view-head"><h1>Approvals</h1></header>
      {found.value === null && <p class="empty">This server does not ask for approvals yet.</p>}
      {found.value?.length === 0 && <div class="calm"><p class="calm-mark" aria-hidden="true">✓</p><p>No assistant asks for anything.</p><p class="muted">What needs your word before it happens appears here.</p></div>}
      <ul class="approvals" aria-live="polite">
        {found.value?.map((one) => (
          <li key={one.id} class="approval">
            <p><strong>{one.who}</strong> asks to {VERBS[one.operation]} <code>{one.path}</code> <span class="muted">{age(one.time)}</span></p>
            {one.summary && <p class="muted">{one.summary}</p>}
            {one.diff && <DiffText text={one.diff} />}
            <div class="approval-acts">
              {ANSWERS.map(([decision, scope, label]) => <button key={label} type="button" class={`small ${decision === "deny" ? "reject" : scope === "once" ? "accept" : ""}`} onClick={() => void answer(one, decision, scope)}>{label}</button>)}
            </div>
          </li>
        ))}
      </ul>
    </main>
  );
}

function DiffText({ text }: { text: string }) {
  return (
    <pre class="diff-text" tabIndex={0} aria-label="What would change">
      {text.split("\n").map((line, at) => <span key={at} class={line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : line.startsWith("@@") ? "place" : ""}>{line}{"\n"}</span>)}
    </pre>
  );
}

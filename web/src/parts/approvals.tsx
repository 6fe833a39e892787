// What assistants ask to do: each with what it would change, and an answer to give.

import { useSignal, useSignalEffect } from "@preact/signals";

import { type Approval, get, type Grant, Missing, post } from "../api.ts";
import { approvals as count, complain, tell } from "../store.ts";
import { age } from "../text/age.ts";

const VERBS: Record<Approval["operation"], string> = { create: "create", update: "change", delete: "delete", rename: "rename" };

type Scope = "once" | "session" | "always";

export function Approvals() {
  const found = useSignal<Approval[] | null | undefined>(undefined);
  const granted = useSignal<Grant[]>([]);
  const load = () => Promise.all([get("approvals"), get("remembered")]).then(([answer, { remembered }]) => {
    found.value = answer.approvals;
    count.value = answer.approvals.length;
    granted.value = remembered;
  }, (error: unknown) => (error instanceof Missing ? (found.value = null) : complain(error)));
  useSignalEffect(() => {
    void count.value;
    void load();
  });
  const act = async (path: string, body: object, told: string) => {
    try {
      await post(path, body);
      tell(told);
    } catch (error) {
      complain(error);
    }
    await load();
  };
  const allow = (one: Approval, scope: Scope) => act(`approvals/${encodeURIComponent(one.id)}`, { decision: "approve", scope }, allowed(one, scope));
  const deny = (one: Approval, reason: string) => act(`approvals/${encodeURIComponent(one.id)}`, { decision: "deny", reason }, `${one.who} may not ${VERBS[one.operation]} ${one.path}.`);
  const revoke = (one: Grant) => act("remembered/revoke", { key: one.key }, `You are asked again before ${one.who} may ${VERBS[one.operation]} a note.`);
  return (
    <main class="view">
      <header class="view-head"><h1>Approvals</h1></header>
      {found.value === null && <p class="empty">This server does not ask for approvals yet.</p>}
      {found.value?.length === 0 && <div class="calm"><p class="calm-mark" aria-hidden="true">✓</p><p>No assistant asks for anything.</p><p class="muted">What needs your word before it happens appears here.</p></div>}
      <ul class="approvals" aria-live="polite">
        {found.value?.map((one) => <Row key={one.id} one={one} allow={allow} deny={deny} />)}
      </ul>
      {!!granted.value.length && (
        <section class="granted">
          <h2>Always allowed</h2>
          <ul>
            {granted.value.map((one) => (
              <li key={one.key}>{one.meaning}, since {age(one.time)}. <button type="button" class="small" onClick={() => void revoke(one)}>Revoke</button></li>
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}

/** What a yes allows, all of it. */
function allowed(one: Approval, scope: Scope): string {
  if (scope === "always") return `${one.always}.`;
  if (scope === "session") return `${one.who} may ${VERBS[one.operation]} notes until its session ends.`;
  return `${one.who} may ${VERBS[one.operation]} ${one.path}.`;
}

interface RowProps {
  one: Approval;
  allow: (one: Approval, scope: Scope) => Promise<void>;
  deny: (one: Approval, reason: string) => Promise<void>;
}

function Row({ one, allow, deny }: RowProps) {
  const reason = useSignal("");
  return (
    <li class="approval">
      <p><strong>{one.who}</strong> asks to {VERBS[one.operation]} <code>{one.path}</code> <span class="muted">{age(one.time)}</span></p>
      {one.summary && <p class="muted">{one.summary}</p>}
      {one.diff && <DiffText text={one.diff} />}
      <div class="approval-acts">
        <button type="button" class="small accept" onClick={() => void allow(one, "once")}>Allow once</button>
        {one.always && <button type="button" class="small" onClick={() => void allow(one, "session")}>Allow in this session, any note</button>}
        {one.always && <button type="button" class="small" onClick={() => void allow(one, "always")}>Always: {one.always}</button>}
        <input class="small" aria-label="Reason, which the assistant gets to see" placeholder="Reason (optional)" value={reason.value} onInput={(event) => (reason.value = event.currentTarget.value)} />
        <button type="button" class="small reject" onClick={() => void deny(one, reason.value)}>Deny</button>
      </div>
    </li>
  );
}

function DiffText({ text }: { text: string }) {
  return (
    <pre class="diff-text" tabIndex={0} aria-label="What would change">
      {text.split("\n").map((line, at) => <span key={at} class={line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : line.startsWith("@@") ? "place" : ""}>{line}{"\n"}</span>)}
    </pre>
  );
}

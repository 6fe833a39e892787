// What to paste into an assistant's settings, and which assistants were here.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { type Assistant, type Connection, get, maybe } from "../api.ts";
import { assistantsChanged } from "../events.ts";
import { complain } from "../store.ts";
import { age } from "../text/age.ts";
import { Icon } from "./icon.tsx";
import { Modal } from "./modal.tsx";

export function Connect() {
  const shown = useSignal<Connection | null>(null);
  const assistants = useSignal<Assistant[] | null>(null);
  const told = assistantsChanged.value;
  useEffect(() => {
    void get("connect").then((answer) => (shown.value = answer), complain);
  }, []);
  useEffect(() => {
    void maybe(get("assistants")).then((answer) => (assistants.value = answer?.assistants ?? null));
  }, [told]);
  return (
    <Modal title="Connect your assistant" class="connect">
      {shown.value?.line && <p class="muted small">On this machine <code>{shown.value.line}</code> does it for you, and shows the change first.</p>}
      {shown.value && <p class="muted small">Any other program: <code>{shown.value.address}</code>, while this server runs.</p>}
      {shown.value?.clients.map((client) => (
        <section key={client.id} class="client">
          <h3>{client.label}</h3>{client.how && <p class="muted small">{client.how}</p>}
          <Copied text={client.text} label={client.label} />
        </section>
      ))}
      {assistants.value && (
        <section class="client"><h3>Assistants</h3>
          {!assistants.value.length && <p class="muted small">None has connected yet.</p>}
          <ul class="assistants">{assistants.value.map((one) => (
            <li key={one.name}><span class={`dot${one.connected ? " on" : ""}`} aria-hidden="true" />{one.name}<span class="hidden">{one.connected ? ", connected" : ", not connected"}</span>
              {one.last && <span class="muted small">{one.last.tool} {one.last.path} {age(one.last.time)}</span>}</li>
          ))}</ul>
        </section>
      )}
    </Modal>
  );
}

function Copied({ text, label }: { text: string; label: string }) {
  const done = useSignal(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => (done.value = true), complain);
  return (
    <div class="copied">
      <pre tabIndex={0} aria-label={`For ${label}`}>{text}</pre>
      <button type="button" class="small" aria-label={`Copy for ${label}`} onClick={copy}><Icon name={done.value ? "check" : "copy"} />{done.value ? "Copied" : "Copy"}</button>
    </div>
  );
}

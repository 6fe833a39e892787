// Where one begins: what was open last, what waits, or how to start.

import { approvals, closed, dialog, hrefOf, notes, pendingTotal, readOnly, recent, vaultName } from "../store.ts";
import { age } from "../text/age.ts";
import { folderOf, nameOf } from "../text/paths.ts";
import { inOrder, SetRows, useSets } from "./sets.tsx";
import { Welcome } from "./welcome.tsx";

const SETS_SHOWN = 5;

export function Home() {
  const all = notes.value;
  if (!all) return <main class="view" aria-busy="true" />;
  if (!all.length) return <EmptyVault />;
  const known = new Set(all.map((note) => note.path));
  const last = recent.value.filter((path) => known.has(path)).slice(0, 6);
  const newest = [...all].sort((one, other) => other.modified - one.modified).slice(0, 8);
  return (
    <main class="view home">
      <header class="view-head"><h1>{vaultName.value}</h1><p class="muted">{all.length === 1 ? "1 note" : `${all.length.toLocaleString()} notes`}</p></header>
      {pendingTotal.value + (approvals.value ?? 0) > 0 && <Waiting />}
      {!last.length && <Welcome notes={all} />}
      <div class="columns">
        {last.length > 0 && <section><h2>Open last</h2><ul class="plain">{last.map((path) => <li key={path}><a href={hrefOf(path)}>{nameOf(path)}</a><span class="muted small">{folderOf(path)}</span></li>)}</ul></section>}
        <section><h2>Changed last</h2><ul class="plain">{newest.map((note) => <li key={note.path}><a href={hrefOf(note.path)}>{nameOf(note.path)}</a><span class="muted small">{age(note.modified)}</span></li>)}</ul></section>
      </div>
    </main>
  );
}

/** What waits, by set, what blocks an assistant first. */
function Waiting() {
  const { waiting } = inOrder(useSets().found.value ?? []);
  if (!waiting.length) return null;
  return <section class="home-sets"><h2>Waits for you</h2><SetRows sets={waiting.slice(0, SETS_SHOWN)} />{waiting.length > SETS_SHOWN && <a class="link" href="#review">All {waiting.length} sets</a>}</section>;
}

function EmptyVault() {
  return (
    <main class="view">
      <div class="calm">
        <h1>An empty book</h1>
        <p class="muted">Write the first note, or connect an assistant and let it begin.</p>
        <div class="calm-acts">
          {!readOnly.value && <button type="button" class="primary" onClick={() => (dialog.value = { kind: "create", path: "", template: "" })}>New note</button>}
          {!closed.value.has("connect") && <button type="button" onClick={() => (dialog.value = { kind: "connect" })}>Connect your assistant</button>}
        </div>
      </div>
    </main>
  );
}

// The page: the side, the place we are at, dialogs and messages above.

import { announced, approvals, closed, dialog, hush, keyOf, messages, pendingTotal, place, sidebarOpen } from "../store.ts";
import { nameOf } from "../text/paths.ts";
import { Icon } from "./icon.tsx";
import { lazy } from "./lazy.tsx";
import { Sidebar } from "./sidebar.tsx";

const Home = lazy(() => import("./home.tsx").then((module) => module.Home), null);
const Note = lazy(() => import("./note.tsx").then((module) => module.Note));
const Queue = lazy(() => import("./queue.tsx").then((module) => module.Queue));
const Sets = lazy(() => import("./sets.tsx").then((module) => module.Sets));
const SetView = lazy(() => import("./set.tsx").then((module) => module.SetView));
const Approvals = lazy(() => import("./approvals.tsx").then((module) => module.Approvals));
const Search = lazy(() => import("./search.tsx").then((module) => module.Search));
const Tags = lazy(() => import("./tags.tsx").then((module) => module.Tags));
const Trash = lazy(() => import("./trash.tsx").then((module) => module.Trash));
const History = lazy(() => import("../history/history.tsx").then((module) => module.History));
const Palette = lazy(() => import("./palette.tsx").then((module) => module.Palette), null);
const Shown = lazy(() => import("./dialogs.tsx").then((module) => module.Shown), null);
const AgentView = lazy(() => import("./agent.tsx").then((module) => module.AgentView));
const WholeGraph = lazy(() => import("./graph.tsx").then((module) => module.WholeGraph));

/** Fetch what was not needed to begin with, so that it is there when the server is not. */
export async function fetchTheRest(): Promise<void> {
  await Promise.all([Home, Palette, Shown, Queue, Sets, SetView, Approvals, Search, Tags, Trash, History].map(({ fetched }) => fetched()));
  await Promise.all([import("../live/rebase.ts"), import("../dropping.ts"), import("../preview.ts"), import("./preview.tsx"), import("./missing.tsx"), import("./properties.tsx"), import("./tree_actions.ts")]);
}

export function App() {
  return (
    <div class={`app${sidebarOpen.value ? " side-open" : ""}`}>
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>("main [tabindex], main input, .cm-content")?.focus(); }}>Skip to the text</a>
      <Sidebar />
      {sidebarOpen.value && <button type="button" class="scrim" aria-label="Hide all notes" onClick={() => (sidebarOpen.value = false)} />}
      <div class="content" id="content">
        {place.value.view !== "note" && <button type="button" class="quiet only-narrow corner" aria-label="Show all notes" onClick={() => (sidebarOpen.value = true)}><Icon name="menu" /></button>}
        <Here />
      </div>
      <Dialogs />
      <Messages />
    </div>
  );
}

function Here() {
  const now = place.value;
  const waiting = pendingTotal.value + (approvals.value ?? 0);
  document.title = `${waiting ? `(${waiting}) ` : ""}${now.view === "note" ? `${nameOf(now.path)} · ` : ""}Commonplace`;
  if (now.view === "review" && closed.value.has("sets")) return <Queue />;
  if (closed.value.has(now.view === "set" ? "sets" : now.view)) return <main class="view"><div class="calm"><h1>Not open to you</h1><p class="muted">Your access token does not open this part of the vault.</p></div></main>;
  switch (now.view) {
    case "note": return <Note key={keyOf(now.path)} path={now.path} heading={now.heading} />;
    case "search": return <Search query={now.query} />;
    case "review": return <Sets />;
    case "set": return <SetView key={now.number} number={now.number} change={now.change} />;
    case "suggestions": return <Queue />;
    case "approvals": return <Approvals />;
    case "tags": return <Tags tag={now.tag} />;
    case "graph": return <WholeGraph />;
    case "trash": return <Trash />;
    case "history": return <History path={now.path} />;
    case "agent": return <AgentView id={now.id} />;
    case "home": return <Home />;
  }
}

function Dialogs() {
  const now = dialog.value;
  if (!now) return null;
  return now.kind === "palette" ? <Palette typed={now.typed} /> : <Shown key={now.kind} dialog={now} />;
}

function Messages() {
  return (
    <div class="messages" role="status" aria-live="polite">
      <p class="hidden">{announced.value}</p>
      {messages.value.map((message) => (
        <div key={message.id} class={`message ${message.kind}`}>
          <span>{message.text}</span>
          {message.action && <button type="button" class="small" onClick={() => { hush(message.id); message.action?.run(); }}>{message.action.label}</button>}
          <button type="button" class="quiet" aria-label="Close" onClick={() => hush(message.id)}><Icon name="close" /></button>
        </div>
      ))}
    </div>
  );
}

// The page: the side, the place we are at, dialogs and messages above.

import { dialog, hush, keyOf, messages, place, sidebarOpen } from "../store.ts";
import { nameOf } from "../text/paths.ts";
import { Home } from "./home.tsx";
import { Icon } from "./icon.tsx";
import { lazy } from "./lazy.tsx";
import { Palette } from "./palette.tsx";
import { Sidebar } from "./sidebar.tsx";

const Note = lazy(() => import("./note.tsx").then((module) => module.Note));
const Queue = lazy(() => import("./queue.tsx").then((module) => module.Queue));
const Approvals = lazy(() => import("./approvals.tsx").then((module) => module.Approvals));
const Search = lazy(() => import("./search.tsx").then((module) => module.Search));
const Tags = lazy(() => import("./tags.tsx").then((module) => module.Tags));
const Shown = lazy(() => import("./dialogs.tsx").then((module) => module.Shown), null);
const WholeGraph = lazy(() => import("./graph.tsx").then((module) => module.WholeGraph));

/** Fetch what was not needed to begin with, so that it is there when the server is not. */
export async function fetchTheRest(): Promise<void> {
  await Promise.all([Shown, Queue, Approvals, Search, Tags].map(({ fetched }) => fetched()));
  await import("../live/rebase.ts");
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
  document.title = now.view === "note" ? `${nameOf(now.path)} · Commonplace` : "Commonplace";
  switch (now.view) {
    case "note": return <Note key={keyOf(now.path)} path={now.path} heading={now.heading} />;
    case "search": return <Search query={now.query} />;
    case "review": return <Queue />;
    case "approvals": return <Approvals />;
    case "tags": return <Tags />;
    case "graph": return <main class="view whole-graph"><header class="view-head"><h1>Graph</h1></header><WholeGraph /></main>;
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

// Where the page begins.

import "./styles/page.css";

import { render } from "preact";

import { get, maybe } from "./api.ts";
import { listenToKeys } from "./commands.ts";
import { listen } from "./events.ts";
import { App, fetchTheRest } from "./parts/app.tsx";
import { loadNotes, readOnly, vaultName } from "./store.ts";

const REST_MS = 200;

// The editor is needed soon, whatever is shown first.
void import("./parts/note.tsx");
render(<App />, document.getElementById("page")!);
listenToKeys();
void loadNotes().then(() => {
  requestAnimationFrame(() => performance.mark("ready"));
  listen();
  setTimeout(() => void fetchTheRest().catch(() => undefined), REST_MS);
});
void maybe(get("status")).then((status) => {
  if (!status) return;
  readOnly.value = status.read_only === true;
  const names = status.roots.map((root) => root.name || root.path.split("/").at(-1) || "");
  if (names.length) vaultName.value = names.join(", ");
});

// Where the page begins.

import "./styles/page.css";

import { render } from "preact";

import { status } from "./api.ts";
import { listenToKeys } from "./commands.ts";
import { listen } from "./events.ts";
import { App, fetchTheRest } from "./parts/app.tsx";
import { closed, loadNotes, readOnly, vaultName } from "./store.ts";

const REST_MS = 200;

// The editor is needed soon, whatever is shown first.
void import("./parts/note.tsx");
render(<App />, document.getElementById("page")!);
listenToKeys();
void loadNotes().then(() => {
  requestAnimationFrame(() => performance.mark("ready"));
  listen();
  void import("./ready.ts").then(({ followSets }) => followSets());
  setTimeout(() => void fetchTheRest().catch(() => undefined), REST_MS);
});
void status().then((found) => {
  if (!found) return;
  readOnly.value = found.read_only === true;
  closed.value = new Set(found.closed);
  const names = found.roots.map((root) => root.name || root.path.split("/").at(-1) || "");
  if (names.length) vaultName.value = names.join(", ");
});

// Notes rendered for this page: the renderer, given what the page knows. In a chunk of its own.

import { get, maybe } from "./api.ts";
import { accepted } from "./critic/index.ts";
import type { Reading, Task } from "./render/reading.ts";
import { type Rendered, renderInto as render } from "./render/render.ts";
import { hrefOf, isDark, keepBreaks, openTag, resolver } from "./store.ts";
import { fileUrl } from "./text/files.ts";

export { showPlace } from "./render/links.ts";

const PRINT_MS = 20_000;
const UNDRAWN = ".prose .code-box:not(.wrong-diagram + .code-box) code.language-mermaid";

type Follow = (link: string, from: string) => void;

interface Wishes {
  readonly path: string;
  readonly follow: Follow;
  readonly tick?: ((task: Task) => void) | undefined;
  /** Whether a whole note is shown with its properties, as it is if nothing is said. */
  readonly properties?: boolean;
}

/** Show a whole note, whose text (as it reads) this is. */
export function showNote(element: HTMLElement, text: string, wishes: Wishes): Rendered {
  return render(element, text, readingOf(wishes, true));
}

/** Mark in a whole note that is shown what differs from another text of it. */
export async function showChanges(element: HTMLElement, before: string, wishes: Wishes, over: () => boolean): Promise<void> {
  const was = document.createElement("article");
  const [{ markChanges }] = await Promise.all([import("./render/changes.ts"), render(was, before, readingOf(wishes, true)).complete]);
  if (!over()) markChanges(element, was);
}

/** Show a bit of a note, given as it stands in its file. */
export function renderInto(element: HTMLElement, text: string, follow: (link: string) => void, path = ""): void {
  render(element, accepted(text), readingOf({ path, follow }, false));
}

/** Print the note that is read, once all of it is there. */
export async function printNote(): Promise<void> {
  const until = performance.now() + PRINT_MS;
  while ((!document.querySelector(".prose[data-ready]") || document.querySelector(UNDRAWN)) && performance.now() < until) await new Promise(requestAnimationFrame);
  const pictures = [...document.querySelectorAll<HTMLImageElement>(".prose img")];
  for (const each of pictures) each.loading = "eager";
  const late = new Promise((done) => setTimeout(done, until - performance.now()));
  await Promise.race([late, Promise.allSettled(pictures.map((each) => each.decode()))]);
  print();
}

function readingOf({ path, follow, tick, properties = true }: Wishes, whole: boolean): Reading {
  return {
    path,
    follow,
    tick,
    fileUrl,
    openTag,
    resolve: (note, from) => resolver.peek().resolve(note, from),
    href: hrefOf,
    text: async (other) => {
      const note = await maybe(get("note", { path: other }));
      return note && accepted(note.text);
    },
    breaks: keepBreaks.peek(),
    dark: isDark.peek(),
    diagrams: true,
    properties: whole && properties,
    peeks: whole,
  };
}

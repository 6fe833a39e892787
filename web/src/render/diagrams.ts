// Mermaid diagrams. They are drawn by other people's code from a note's text, so that runs in a frame
// with an origin of its own, which reaches neither the page nor the network, and all that comes
// back is a picture. One frame draws for all notes; it is loaded when a note first needs it.

import type { Reading } from "./reading.ts";

const FRAME = "diagrams";
const WAIT_MS = 20_000;
const SOURCE_MAX = 50_000;
const PICTURE_MAX = 4_000_000;

interface Drawn {
  readonly id: number;
  readonly svg?: string;
  readonly width?: number;
  readonly height?: number;
  readonly why?: string;
}

let frame: Promise<Window> | null = null;
let asked = 0;
const waiting = new Map<number, (drawn: Drawn) => void>();

export async function drawDiagrams(element: ParentNode, reading: Reading): Promise<void> {
  const found = [...element.querySelectorAll<HTMLElement>("pre > code.language-mermaid")];
  await Promise.all(found.map((code) => show(code, reading)));
}

async function show(code: HTMLElement, reading: Reading): Promise<void> {
  const source = code.textContent ?? "";
  const box = code.closest<HTMLElement>(".code-box") ?? code.parentElement!;
  const drawn = await draw(source, reading.dark).catch((error: unknown): Drawn => ({ id: 0, why: String(error) }));
  if (!box.parentNode) return;
  if (!drawn.svg || drawn.svg.length > PICTURE_MAX) {
    const words = document.createElement("p");
    words.className = "wrong-diagram";
    words.textContent = `This diagram could not be drawn: ${(drawn.why ?? "it is too large").slice(0, 300)}`;
    box.before(words);
    return;
  }
  const picture = document.createElement("img");
  picture.className = "diagram";
  picture.alt = `Diagram: ${source.slice(0, 1000)}`;
  if (drawn.width && drawn.height) Object.assign(picture, { width: Math.ceil(drawn.width), height: Math.ceil(drawn.height) });
  // A picture runs nothing and loads nothing, whatever stands in it.
  picture.src = `data:image/svg+xml;base64,${base64(drawn.svg)}`;
  const line = box.querySelector("[data-line]")?.getAttribute("data-line");
  if (line) picture.setAttribute("data-line", line);
  box.replaceWith(picture);
}

function base64(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

async function draw(source: string, dark: boolean): Promise<Drawn> {
  if (source.length > SOURCE_MAX) return { id: 0, why: "it is too long" };
  const there = await (frame ??= opened().catch((error: unknown) => { frame = null; throw error; }));
  const id = ++asked;
  return new Promise((resolve) => {
    const timer = setTimeout(() => { waiting.delete(id); resolve({ id, why: "it takes too long" }); }, WAIT_MS);
    waiting.set(id, (drawn) => { clearTimeout(timer); resolve(drawn); });
    there.postMessage({ id, source, dark }, "*");
  });
}

/** Open the frame; it says when it is ready. */
function opened(): Promise<Window> {
  return new Promise((resolve, reject) => {
    const element = document.createElement("iframe");
    element.setAttribute("sandbox", "allow-scripts");
    element.className = "diagram-frame";
    element.title = "Draws diagrams";
    element.tabIndex = -1;
    element.setAttribute("aria-hidden", "true");
    element.src = FRAME;
    const timer = setTimeout(() => { element.remove(); reject(new Error("the part that draws it could not be loaded")); }, WAIT_MS);
    addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
      if (source !== element.contentWindow || typeof data !== "object" || data === null) return;
      if ("ready" in data) {
        clearTimeout(timer);
        resolve(element.contentWindow!);
        return;
      }
      const drawn = data as Drawn;
      waiting.get(drawn.id)?.(drawn);
      waiting.delete(drawn.id);
    });
    document.body.append(element);
  });
}

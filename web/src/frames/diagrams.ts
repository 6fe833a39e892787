// Runs inside the frame that draws diagrams: text in, a picture out. See `render/diagrams.ts`.

interface Mermaid {
  initialize(options: object): void;
  render(id: string, source: string): Promise<{ svg: string }>;
}

declare const mermaid: Mermaid;

interface Wish {
  readonly id: number;
  readonly source: string;
  readonly dark: boolean;
}

let last: Promise<void> = Promise.resolve();

addEventListener("message", ({ source, data }: MessageEvent<Wish>) => {
  if (source !== parent || typeof data?.source !== "string") return;
  last = last.then(() => answer(data));
});

async function answer({ id, source, dark }: Wish): Promise<void> {
  try {
    // Words as SVG text: HTML inside a picture is not drawn everywhere.
    const options = { htmlLabels: false, useMaxWidth: false };
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict", look: "classic", theme: dark ? "dark" : "neutral", fontFamily: "system-ui, sans-serif", htmlLabels: false, flowchart: options, class: options, state: options, sequence: options, gantt: options, journey: options, timeline: options, er: options, pie: options, gitGraph: options });
    const { svg } = await mermaid.render(`diagram${id}`, source);
    const drawn = new DOMParser().parseFromString(svg, "text/html").querySelector("svg")!;
    const [, , width = 0, height = 0] = (drawn.getAttribute("viewBox") ?? "").split(/[ ,]+/).map(Number);
    drawn.setAttribute("width", String(width));
    drawn.setAttribute("height", String(height));
    drawn.removeAttribute("style");
    parent.postMessage({ id, svg: new XMLSerializer().serializeToString(drawn), width, height }, "*");
  } catch (error) {
    document.querySelectorAll(`#ddiagram${id}`).forEach((element) => element.remove());
    parent.postMessage({ id, why: error instanceof Error ? error.message : String(error) }, "*");
  }
}

parent.postMessage({ ready: true }, "*");

export {};

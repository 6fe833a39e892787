// What a site is made of, as the command `commonplace site` writes it beside this script.

/** One note of the list: its path, title, tags, page, the numbers of the notes that it links to, and where its files are. */
export type Entry = readonly [path: string, title: string, tags: readonly string[], url: string, links: readonly number[], files: Readonly<Record<string, string>>];

export interface Site {
  readonly title: string;
  readonly first: number;
  readonly notes: readonly Entry[];
  /** How many files `texts-N.js` there are; each adds its texts when it is loaded. */
  readonly chunks: number;
  readonly texts: Map<number, string>;
}

/** The note of this page: which it is, its text, and what its links mean. */
export interface Here {
  readonly at: number | null;
  readonly text: string;
  readonly links: Readonly<Record<string, string>>;
}

declare global {
  interface Window {
    commonplaceSite: { title: string; first: number; chunks: number; notes: Entry[]; texts: [number, string][] };
  }
}

/** From this page to the top of the site: `../../`. */
export const top = document.body.dataset["top"] ?? "";

export const site: Site = (() => {
  const { title, first, chunks, notes } = window.commonplaceSite;
  return { title, first, chunks, notes, texts: new Map() };
})();

export const here: Here = JSON.parse(document.getElementById("note")?.textContent ?? '{"at":null,"text":"","links":{}}') as Here;

/** Load every text, for a search; by script elements, so that it works from a folder too. */
export async function loadTexts(): Promise<void> {
  if (site.texts.size) return;
  await Promise.all(Array.from({ length: site.chunks }, (_, number) => load(`${top}texts-${number}.js`)));
  for (const [at, text] of window.commonplaceSite.texts) site.texts.set(at, text);
}

function load(source: string): Promise<void> {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = () => done();
    script.onerror = () => failed(new Error(`${source} could not be loaded`));
    document.head.append(script);
  });
}

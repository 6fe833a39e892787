// A note as one reads it: Markdown made into elements, in one way for every place that shows a note.
//
// The text of a note is data. It becomes HTML, the HTML is sanitised, and whatever acts (links,
// pictures, task boxes, frames) is made here, element by element, from what is left. Formulas,
// code colours and diagrams are fetched when a note first needs them.

import { readBlock } from "../text/properties.ts";
import { addCopyButtons, colourCode } from "./code.ts";
import { drawDiagrams } from "./diagrams.ts";
import { EMBEDS_MAX, fillEmbeds } from "./embeds.ts";
import { footnoteLinks, headingAnchors, prepareLinks } from "./links.ts";
import { toHtml, toPieces } from "./markdown.ts";
import { showPictures } from "./media.ts";
import type { Piece } from "./pieces.ts";
import { propertiesOf } from "./properties.ts";
import type { Reading } from "./reading.ts";
import { sanitised } from "./sanitise.ts";
import { taskBoxes } from "./tasks.ts";

/** From so many characters on, a text is made piece by piece, and what is not in view is not laid out. */
const LONG = 100_000;

/** How many pieces are shown at once, at most. */
const TOGETHER_MAX = 12;

/** The notes that the text stands in, from the outermost, each with the place of it that is shown. */
export type Chain = readonly string[];

export interface Rendered {
  /** When all pieces, and what is fetched later (embeds, formulas, colours, diagrams), are there. */
  readonly complete: Promise<void>;
}

/** What each element was last filled with: whoever fills it anew ends what is still at work there. */
const last = new WeakMap<HTMLElement, { readonly path: string }>();

/** Fill an element with a text (as it reads: suggestions accepted). `line` is where it begins. */
export function renderInto(element: HTMLElement, text: string, reading: Reading, chain: Chain = [reading.path], line = 0): Rendered {
  const block = line === 0 ? readBlock(text) : null;
  const body = block ? text.slice(block.end) : text;
  const first = line + (block ? text.slice(0, block.end).split("\n").length - 1 : 0);
  const long = body.length > LONG;
  const again = long && last.get(element)?.path === reading.path && element.hasChildNodes();
  const turn = { path: reading.path };
  last.set(element, turn);
  element.classList.toggle("long", long);

  const later: Promise<unknown>[] = [];
  let embeds = EMBEDS_MAX;
  const made = (html: string): DocumentFragment => {
    const fragment = sanitised(html);
    prepareLinks(fragment, reading);
    footnoteLinks(fragment, element, () => whole);
    headingAnchors(fragment, reading, chain.length > 1);
    taskBoxes(fragment, chain.length > 1 ? { ...reading, tick: undefined } : reading);
    later.push(showPictures(fragment, reading));
    for (const table of fragment.querySelectorAll("table")) scrollable(table, "Table");
    addCopyButtons(fragment);
    const most = embeds;
    embeds -= Math.min(most, fragment.querySelectorAll("[data-embed]").length);
    later.push(fillEmbeds(fragment, reading, chain, most), colourCode(fragment), formulas(fragment));
    if (reading.diagrams) later.push(drawDiagrams(fragment, reading));
    return fragment;
  };

  const pieces = long ? toPieces(body, first, reading.breaks) : null;
  const beginning = made(pieces ? (pieces.next().value?.html ?? "") : toHtml(body, first, reading.breaks));
  if (block && reading.properties && chain.length === 1) {
    const shown = propertiesOf(block.properties, reading);
    if (shown) beginning.prepend(shown);
  }
  const whole = fill(element, beginning, pieces, made, { again, current: () => last.get(element) === turn });
  return { complete: whole.then(() => Promise.all(later)).then(() => undefined) };
}

interface Filling {
  /** Whether the element shows an earlier state of the text, which stays until the new one is whole. */
  readonly again: boolean;
  /** Whether nobody fills the element with something else by now. */
  current(): boolean;
}

/**
 * Show the beginning at once, and the rest piece by piece, with time for the screen between them. The
 * more there is, the more the layout of one more piece costs, and the more of them come at once.
 */
async function fill(element: HTMLElement, beginning: DocumentFragment, pieces: Iterable<Piece> | null, made: (html: string) => DocumentFragment, { again, current }: Filling): Promise<void> {
  if (!again) element.replaceChildren(beginning);
  if (!pieces) return;
  const there = element.isConnected;
  let [shown, held, heldGoesOn] = [1, 0, false];
  const show = () => {
    if (heldGoesOn) join(element, beginning);
    element.append(beginning);
    [shown, held] = [shown + held, 0];
  };
  await breath();
  for (const { html, goesOn } of pieces) {
    if (!current() || (there && !element.isConnected)) return;
    const more = made(html);
    if (!beginning.hasChildNodes()) heldGoesOn = goesOn;
    else if (goesOn) join(beginning, more);
    beginning.append(more);
    held++;
    // A table is laid out whole for each of its rows that comes.
    const most = heldGoesOn && element.lastElementChild?.matches(".table-box") ? Infinity : TOGETHER_MAX;
    if (!again && held >= Math.min(shown / 2, most)) show();
    await breath();
  }
  if (!current()) return;
  if (again) element.replaceChildren(beginning);
  else show();
}

/** Put the items or rows that come first into the list or table that is last. */
function join(shown: ParentNode, more: DocumentFragment): void {
  const first = more.firstElementChild;
  const [to, from] = [shown.lastElementChild, first].map((each) => (each?.matches(".table-box") ? each.querySelector("tbody") : each));
  if (!to || !from) return;
  while (from.firstChild) to.append(from.firstChild);
  first?.remove();
}

const breath = () => new Promise((resolve) => setTimeout(resolve));

/** What is wider than the page is moved sideways, also by keys. */
function scrollable(table: HTMLElement, label: string): void {
  const box = document.createElement("div");
  box.className = "table-box";
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  const line = table.getAttribute("data-line");
  if (line) box.setAttribute("data-line", line);
  table.replaceWith(box);
  box.append(table);
}

async function formulas(element: ParentNode): Promise<void> {
  const found = element.querySelectorAll<HTMLElement>(".math[data-tex]");
  if (!found.length) return;
  const { drawMath } = await import("./mathml.ts");
  found.forEach(drawMath);
}

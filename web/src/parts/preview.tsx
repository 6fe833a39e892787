// The note as it reads, rendered; the code for it is loaded on first use.

import type { EditorView } from "@codemirror/view";
import { effect, signal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { joined } from "../critic/index.ts";
import { verbatim } from "../editor/guard.ts";
import { reading } from "../editor/marks.ts";
import { isDark, keepBreaks, readOnly } from "../store.ts";
import type { Task } from "../render/reading.ts";
import { lineAt, markedPlace, readPlace, tickAt } from "../text/places.ts";

/** A line of the text as it reads that is to be shown; a new value each time. */
export type Wanted = { readonly line: number } | null;

interface Props {
  readonly view: EditorView;
  readonly version: number;
  readonly path: string;
  readonly follow: (link: string, from: string) => void;
  readonly wanted: Signal<Wanted>;
  readonly beside: boolean;
}

/** Whether undecided text is read with marks, as if it were accepted, or as if it were not there. */
type ReadAs = "marked" | "new" | "old";
const WAYS: readonly [way: ReadAs, label: string, says: string][] = [
  ["marked", "Marked", "What would go is struck out, what would come is underlined."],
  ["new", "With suggestions", "You read it as if they were accepted."],
  ["old", "Without", "You read it without them."],
];
const readAs = signal<ReadAs>(WAYS.find(([way]) => way === localStorage.getItem("commonplace.read-as"))?.[0] ?? "new");
effect(() => localStorage.setItem("commonplace.read-as", readAs.value));

const AWAY = "This part of the page could not be loaded. Is commonplace serve still running?";

export function Preview({ view, version, path, follow, wanted, beside }: Props) {
  const box = useRef<HTMLElement>(null);
  const spent = useRef(0);
  const [dark, breaks, side] = [isDark.value, keepBreaks.value, readAs.value];
  const undecided = view.state.field(reading).pending.length;
  useEffect(() => {
    // A long note takes long to render: the longer, the less often while somebody types.
    const timer = setTimeout(() => void show(), Math.min(2000, spent.current * 3));
    let over = false;
    const show = async () => {
      const preview = await import("../preview.ts").catch(() => null);
      if (!box.current || over) return;
      if (!preview) return void (box.current.textContent = AWAY);
      const begun = performance.now();
      if (box.current.dataset["path"] !== path) delete box.current.dataset["ready"];
      const { marked } = view.state.field(reading);
      const text = joined(marked, side === "old" ? "old" : "new");
      const { complete } = preview.showNote(box.current, text, { path, follow, tick: readOnly.peek() || side === "old" ? undefined : (task) => tick(view, task) });
      spent.current = performance.now() - begun;
      if (beside && !wanted.peek()) scrollAlong(view, box.current);
      await complete;
      if (side === "marked" && !over && box.current) await preview.showChanges(box.current, joined(marked, "old"), { path, follow }, () => over);
      if (over || !box.current) return;
      if (beside && !wanted.peek()) scrollAlong(view, box.current);
      Object.assign(box.current.dataset, { ready: String(version), path });
      find();
    };
    return () => { over = true; clearTimeout(timer); };
  }, [view, version, path, dark, breaks, side]);
  const find = () => {
    const place = wanted.peek();
    const element = place && box.current?.dataset["ready"] && blockAt(box.current, place.line);
    if (!element) return;
    wanted.value = null;
    void import("../preview.ts").then(({ showPlace }) => showPlace(element));
  };
  useEffect(find, [wanted.value]);
  useEffect(() => {
    if (!beside) return undefined;
    let frame = 0;
    const onScroll = () => (frame ||= requestAnimationFrame(() => { frame = 0; if (box.current) scrollAlong(view, box.current); }));
    view.scrollDOM.addEventListener("scroll", onScroll);
    return () => { cancelAnimationFrame(frame); view.scrollDOM.removeEventListener("scroll", onScroll); };
  }, [view, beside]);
  const article = <article ref={box} class="sheet prose" aria-label="Preview" tabIndex={0} />;
  if (beside) return article;
  return (
    <div class="read-sheet">
      {undecided > 0 && <Undecided count={undecided} />}
      {article}
    </div>
  );
}

/** Says that some of what one reads is not decided, and lets one choose how it is read. */
function Undecided({ count }: { count: number }) {
  const says = WAYS.find(([way]) => way === readAs.value)![2];
  return (
    <div class="undecided" role="status">
      <span>{count === 1 ? "1 change in this note is undecided." : `${count.toLocaleString()} changes in this note are undecided.`} {says}</span>
      <div class="segmented" role="group" aria-label="How undecided text is read">
        {WAYS.map(([way, label]) => <button key={way} type="button" aria-pressed={readAs.value === way} onClick={() => (readAs.value = way)}>{label}</button>)}
      </div>
    </div>
  );
}

/** Tick a task: one character of the text is changed, by the person. */
function tick(view: EditorView, { line, done }: Task): void {
  const { marked } = view.state.field(reading);
  const at = tickAt(joined(marked, "new"), line);
  if (at === null) return;
  const from = markedPlace(marked, at);
  view.dispatch({ changes: { from, to: from + 1, insert: done ? "x" : " " }, annotations: verbatim.of(true), userEvent: "input" });
}

function blocks(box: HTMLElement): { line: number; element: HTMLElement }[] {
  const own = [...box.querySelectorAll<HTMLElement>("[data-line]")].filter((element) => !element.closest(".embed"));
  return own.map((element) => ({ line: Number(element.dataset["line"]), element }));
}

function blockAt(box: HTMLElement, line: number): HTMLElement | null {
  let best: { line: number; element: HTMLElement } | null = null;
  for (const each of blocks(box)) if (each.line <= line && (!best || each.line >= best.line)) best = each;
  return best?.element ?? box.querySelector<HTMLElement>("[data-line]");
}

/** Show what the editor shows at its top. */
function scrollAlong(view: EditorView, box: HTMLElement): void {
  const { marked } = view.state.field(reading);
  const top = view.lineBlockAtHeight(view.scrollDOM.scrollTop - view.documentPadding.top);
  const text = joined(marked, "new");
  const line = lineAt(text, readPlace(marked, top.from) + 1);
  const all = blocks(box);
  const at = all.findLastIndex((each) => each.line <= line);
  if (at < 0) return void (box.scrollTop = 0);
  const topOf = (element: HTMLElement) => element.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
  const [here, next] = [all[at]!, all.slice(at + 1).find((each) => each.line > all[at]!.line)];
  const [from, to] = [topOf(here.element), next ? topOf(next.element) : box.scrollHeight];
  const part = next ? Math.min(1, (line - here.line) / (next.line - here.line)) : 0;
  box.scrollTop = view.scrollDOM.scrollTop < 4 ? 0 : from + (to - from) * part - 26;
}

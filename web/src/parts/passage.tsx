// A passage of a note with the changes in it, whole: nothing that is changed is ever cut off unsaid.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";

import { visible } from "../text/invisible.ts";
import { type Changed, type Fold, type Passage } from "../text/passages.ts";
import { wordDiff } from "../text/words.ts";

const STEP = 10;
const LINES_MAX = 60;
const [FIRST, LAST] = [40, 10];

interface Shown {
  readonly number: (id: string) => number;
  readonly current: string;
  readonly decided: (id: string) => "" | "accept" | "reject";
  readonly seen: (id: string) => boolean;
  readonly see: (id: string) => void;
  readonly go: (id: string) => void;
}

/** Both texts in one, or the old beside the new. */
export function PassageText({ passage, beside, ...shown }: { passage: Passage; beside: boolean } & Shown) {
  if (!beside) return <div class="passage"><Side passage={passage} side="both" {...shown} /></div>;
  return (
    <div class="passage-pair">
      <div class="passage old-side" aria-label="Before"><Side passage={passage} side="old" {...shown} /></div>
      <div class="passage new-side" aria-label="After"><Side passage={passage} side="new" {...shown} /></div>
    </div>
  );
}

type SideName = "both" | "old" | "new";

function Side({ passage, side, ...shown }: { passage: Passage; side: SideName } & Shown) {
  return (
    <>{passage.parts.map((part, at) => (typeof part === "string" ? <span key={at}>{visible(part)}</span> : <Mark key={part.id} one={part} side={side} {...shown} />))}</>
  );
}

function Mark({ one, side, number, current, decided, seen, see, go }: { one: Changed; side: SideName } & Shown) {
  const verdict = decided(one.id);
  const all = useMemo(() => wordDiff(visible(one.old), visible(one.new)), [one.old, one.new]);
  if (verdict) {
    const text = verdict === "accept" ? one.new : one.old;
    return <span class={`mark decided ${verdict}`}><span class="hidden">{verdict === "accept" ? "accepted: " : "rejected: "}</span>{visible(text)}</span>;
  }
  const stretches = all.filter(({ kind }) => side === "both" || kind === "same" || kind === side);
  return (
    <span class={`mark${current === one.id ? " current" : ""}`} data-change={side === "old" ? undefined : one.id} onClick={() => go(one.id)}>
      <sup class="mark-number" aria-hidden="true">{number(one.id)}</sup>
      {stretches.map(({ kind, text }, at) => {
        const whole = seen(one.id) || text.split("\n").length <= LINES_MAX;
        const words = whole ? <>{blanks(text, kind)}</> : <LongText text={text} see={() => see(one.id)} />;
        if (kind === "old") return <del key={at}>{words}</del>;
        if (kind === "new") return <ins key={at}>{words}</ins>;
        return <span key={at}>{words}</span>;
      })}
    </span>
  );
}

/** Whether some lines of a change are folded until somebody asks for them. */
export const hidesLines = ({ old, new: added }: { old: string; new: string }): boolean =>
  wordDiff(old, added).some(({ text }) => text.split("\n").length > LINES_MAX);

function LongText({ text, see }: { text: string; see: () => void }) {
  const lines = text.split("\n");
  return (
    <>
      {lines.slice(0, FIRST).join("\n")}
      <button type="button" class="unfold" onClick={see}>{(lines.length - FIRST - LAST).toLocaleString()} lines are hidden here. Show them</button>
      {lines.slice(-LAST).join("\n")}
    </>
  );
}

/** A change of blanks alone would not be seen. */
function blanks(text: string, kind: string): string {
  return kind === "same" || text.trim() ? text : text.replaceAll("\n", "⏎\n").replaceAll(" ", "·").replaceAll("\t", "⇥");
}

/** Unchanged lines, folded; more of them from above and from below. */
export function Folded({ fold, first, last }: { fold: Fold; first: boolean; last: boolean }) {
  const [above, below] = [useSignal(0), useSignal(0)];
  const { lines } = fold;
  const hidden = lines.length - above.value - below.value;
  if (hidden <= 0) return <div class="passage unchanged">{visible(lines.join("\n"))}</div>;
  const count = `${hidden.toLocaleString()} unchanged ${hidden === 1 ? "line" : "lines"}`;
  return (
    <>
      {above.value > 0 && <div class="passage unchanged">{visible(lines.slice(0, above.value).join("\n"))}</div>}
      <div class="fold">
        {!first && <button type="button" class="quiet" onClick={() => (above.value += STEP)} aria-label={`Show ${STEP} more lines below the change above`}>↓ {STEP}</button>}
        <button type="button" class="quiet" onClick={() => (above.value = lines.length)}>{count}</button>
        {!last && <button type="button" class="quiet" onClick={() => (below.value += STEP)} aria-label={`Show ${STEP} more lines above the change below`}>↑ {STEP}</button>}
      </div>
      {below.value > 0 && <div class="passage unchanged">{visible(lines.slice(-below.value).join("\n"))}</div>}
    </>
  );
}

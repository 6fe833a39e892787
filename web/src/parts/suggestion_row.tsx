// A suggestion beside its note, whole: one decides on nothing that one cannot see.

import { useMemo } from "preact/hooks";

import { PERHAPS_REJECTED } from "../api.ts";
import type { Credit } from "../editor/credits.ts";
import type { Decision } from "../review.ts";
import { readOnly, tell } from "../store.ts";
import { age } from "../text/age.ts";
import { shortened } from "../text/folded.ts";
import { visible } from "../text/invisible.ts";
import { spoken } from "../text/spoken.ts";
import { type Stretch, wordDiff } from "../text/words.ts";
import { shown, Who } from "./diff.tsx";

// Compared while somebody types in it, a longer one would keep the page busy.
const COMPARED_MAX = 20_000;

interface Props {
  readonly old: string;
  readonly added: string;
  readonly credit: Credit;
  readonly current: boolean;
  readonly seen: boolean;
  readonly see: () => void;
  readonly go: () => void;
  readonly decide: (decision: Decision) => void;
}

export function SuggestionRow({ old, added, credit: { author, time, doubted }, current, seen, see, go, decide }: Props) {
  const all = useMemo(() => compared(visible(old), visible(added)), [old, added]);
  const { stretches, hidden } = useMemo(() => shortened(all), [all]);
  const isWhole = !hidden || seen;
  const accept = () => {
    if (isWhole) return decide("accept");
    see();
    tell("Some lines of this suggestion were hidden. They are shown now: look, then accept.");
  };
  return (
    <div role="listitem" class={`suggestion${current ? " current" : ""}`}>
      <button type="button" class="jump" onClick={go} aria-label={`Go to the suggestion: ${spoken(old, added)}`}>
        <span class="diff">
          {(isWhole ? all : stretches).map(({ kind, text }, at) => {
            if (kind === "old") return <del key={at}>{shown(text)}</del>;
            if (kind === "new") return <ins key={at}>{shown(text)}</ins>;
            return <span key={at}>{text}</span>;
          })}
        </span>
      </button>
      {!isWhole && <button type="button" class="unfold" onClick={see}>{hidden.toLocaleString()} more lines are hidden. Show them</button>}
      <div class="suggestion-foot">
        <Who name={author} /><span class="muted">{time === null ? "" : age(time)}</span>{doubted && <span class="doubt">{PERHAPS_REJECTED}</span>}
        <span class="grow" />
        {!readOnly.value && <button type="button" class="small accept" onClick={accept}>Accept</button>}
        {!readOnly.value && <button type="button" class="small reject" onClick={() => decide("reject")}>Reject</button>}
      </div>
    </div>
  );
}

function compared(old: string, added: string): readonly Stretch[] {
  if (old.length + added.length <= COMPARED_MAX) return wordDiff(old, added);
  const both: Stretch[] = [{ kind: "old", text: old }, { kind: "new", text: added }];
  return both.filter(({ text }) => text);
}

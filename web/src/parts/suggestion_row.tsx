// A suggestion beside its note, whole: one decides on nothing that one cannot see.

import { PERHAPS_REJECTED } from "../api.ts";
import type { Credit } from "../editor/credits.ts";
import { type Decision, tellHidden } from "../review.ts";
import { readOnly } from "../store.ts";
import { age } from "../text/age.ts";
import { spoken } from "../text/spoken.ts";
import { Stretches, Unfold, useWhole, Who } from "./diff.tsx";

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
  const { stretches, hidden } = useWhole(old, added, seen);
  const accept = () => {
    if (!hidden) return decide("accept");
    see();
    tellHidden(1);
  };
  return (
    <div role="listitem" class={`suggestion${current ? " current" : ""}`}>
      <button type="button" class="jump" onClick={go} aria-label={`Go to the suggestion: ${spoken(old, added)}`}><Stretches stretches={stretches} /></button>
      <Unfold hidden={hidden} see={see} />
      <div class="suggestion-foot">
        <Who name={author} /><span class="muted">{time === null ? "" : age(time)}</span>{doubted && <span class="doubt">{PERHAPS_REJECTED}</span>}
        <span class="grow" />
        {!readOnly.value && <button type="button" class="small accept" onClick={accept}>Accept</button>}
        {!readOnly.value && <button type="button" class="small reject" onClick={() => decide("reject")}>Reject</button>}
      </div>
    </div>
  );
}

// The review by task: each change set that waits, what blocks an assistant first.

import { effect, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { ApiError, Missing } from "../api.ts";
import { arranged, returned, reviewed } from "../events.ts";
import { inTurn } from "../in_turn.ts";
import { notifies, offersNotifying, toggleNotifying } from "../ready.ts";
import { hrefOfSet, listSets, type SetSummary, titleOf } from "../sets.ts";
import { approvals, complain, dialog, letterKeys } from "../store.ts";
import { age } from "../text/age.ts";
import { visible } from "../text/invisible.ts";
import { Size } from "./set_head.tsx";

const DECIDED_SHOWN = 30;

/** What waits comes first, and of that what an assistant cannot go on without. */
export function inOrder(sets: readonly SetSummary[]): { waiting: SetSummary[]; decided: SetSummary[] } {
  const waiting = sets.filter((one) => one.waiting > 0).sort((one, other) => Number(other.parked > 0) - Number(one.parked > 0) || other.last - one.last);
  return { waiting, decided: sets.filter((one) => !one.waiting).slice(0, DECIDED_SHOWN) };
}

export function useSets() {
  const found = useSignal<readonly SetSummary[] | null>(null);
  const away = useSignal(false);
  useEffect(() => {
    let timer = 0;
    const load = inTurn(async () => {
      try {
        found.value = (await listSets()).sets;
        away.value = false;
      } catch (error) {
        if (error instanceof ApiError) complain(error);
        else away.value = !(error instanceof Missing);
      }
    });
    const stop = effect(() => {
      void [reviewed.value, arranged.value, returned.value, approvals.value];
      timer ||= window.setTimeout(() => { timer = 0; void load(); }, found.peek() ? 150 : 0);
    });
    return () => { stop(); clearTimeout(timer); };
  }, []);
  return { found, away };
}

export function Sets() {
  const { found, away } = useSets();
  const at = useSignal(0);
  const { waiting, decided } = inOrder(found.value ?? []);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.peek() || !letterKeys.peek()) return;
      if ((event.target as HTMLElement).closest("input, textarea, select, button, .sidebar, [contenteditable]")) return;
      const rows = document.querySelectorAll<HTMLElement>(".set-row");
      const by = ({ j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 } as Record<string, number>)[event.key];
      if (!by || !rows.length) return;
      event.preventDefault();
      event.stopPropagation();
      at.value = Math.min(rows.length - 1, Math.max(0, document.activeElement?.classList.contains("set-row") ? at.peek() + by : at.peek()));
      rows[at.peek()]?.focus();
    };
    addEventListener("keydown", onKeyDown, true);
    return () => removeEventListener("keydown", onKeyDown, true);
  }, []);
  // The first set has the focus: Enter opens it at once.
  const ready = waiting.length > 0;
  useEffect(() => { if (ready && !document.activeElement?.closest("main, dialog")) document.querySelector<HTMLElement>(".set-row")?.focus(); }, [ready]);
  const changes = waiting.reduce((sum, one) => sum + one.waiting, 0);
  return (
    <main class="view sets" tabIndex={-1}>
      <header class="view-head">
        <h1>Review</h1>
        <p class="muted" role="status">{away.value ? "The server cannot be reached. This goes on by itself when it is back." : !found.value ? "Loading" : counted(changes)}</p>
        <span class="grow" />
        {offersNotifying() && <button type="button" class="quiet small" aria-pressed={notifies.value} onClick={() => void toggleNotifying()}>{notifies.value ? "Notifications are on" : "Notify me"}</button>}
        {changes > 0 && <a class="link" href="#review!all">One by one</a>}
      </header>
      {found.value && !waiting.length && <div class="calm"><p class="calm-mark" aria-hidden="true">✓</p><p>Nothing waits for you.</p><p class="muted">What assistants do for one purpose appears here as one set.</p></div>}
      <SetRows sets={waiting} />
      {decided.length > 0 && <details class="before" open={!waiting.length}><summary>Decided</summary><SetRows sets={decided} /></details>}
    </main>
  );
}

const counted = (changes: number) => (changes === 1 ? "1 change waits" : `${changes.toLocaleString()} changes wait`);

export function SetRows({ sets }: { sets: readonly SetSummary[] }) {
  return (
    <ul class="set-rows">
      {sets.map((set) => (
        <li key={set.number}>
          <a class="set-row" href={hrefOfSet(set.number)}>
            <span class="set-row-top">
              <span class="set-row-title">{visible(titleOf(set))}</span>
              {set.parked > 0 && <span class="badge asks">{set.parked === 1 ? "asks 1 question" : `asks ${set.parked} questions`}</span>}
              <span class="badge">{set.sent_back ? "waits for the assistant" : set.state}</span>
            </span>
            {set.why && <span class="set-row-why">{visible(set.why)}</span>}
            <span class="muted">{set.who && <><strong>{visible(set.who)}</strong> · </>}<Size set={set} />{set.waiting > 0 ? ` · ${counted(set.waiting)}` : ` · ${outcome(set)}`}{set.last ? ` · ${age(set.last)}` : ""}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

export function outcome({ accepted, modified, rejected, withdrawn }: SetSummary): string {
  const parts: [number, string][] = [[accepted, "accepted"], [modified, "modified"], [rejected, "rejected"], [withdrawn, "withdrawn"]];
  return parts.filter(([count]) => count).map(([count, word]) => `${count} ${word}`).join(", ") || "nothing left";
}

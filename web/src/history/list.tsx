// The revisions as a list of any length: only the rows in view exist. Keys choose one.

import { type Revised } from "../api.ts";
import { Diff, Who } from "../parts/diff.tsx";
import { Rows } from "../parts/rows.tsx";
import { age } from "../text/age.ts";
import { nameOf } from "../text/paths.ts";
import { deedOf, heard, sizeOf } from "./words.ts";

const HEIGHT = 82;
const PAGE = 8;

interface Props {
  readonly rows: readonly Revised[];
  readonly at: number;
  /** All newer ones came while the reader was away. */
  readonly seen: number;
  /** The revision that others are compared with. */
  readonly base: number;
  readonly choose: (index: number) => void;
  readonly show: () => void;
  readonly more: () => void;
}

export function List({ rows, at, seen, base, choose, show, more }: Props) {
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: PAGE, PageUp: -PAGE, Home: -rows.length, End: rows.length };
    const step = event.ctrlKey || event.metaKey || event.altKey ? undefined : steps[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (step === undefined) show();
    else choose(Math.min(rows.length - 1, Math.max(0, at + step)));
  };
  const row = (index: number) => {
    const one = rows[index];
    if (!one) return null;
    const before = one.cause === "before";
    const marks = `${index === at ? " current" : ""}${seen > 0 && one.revision > seen ? " fresh" : ""}${one.revision === base ? " base" : ""}`;
    return (
      <div key={one.revision} id={`revision-${one.revision}`} role="option" aria-selected={index === at} aria-posinset={index + 1} aria-setsize={-1}
        aria-label={before ? "Before that, nobody took it down" : heard(one)} class={`revision${marks}`} onClick={() => { choose(index); show(); }}>
        {before ? <p class="muted">Before that, nobody took it down.</p> : <>
          <div class={`by ${one.kind}`}><Who name={one.by} /><span class="muted small" title={new Date(Date.parse(one.time)).toLocaleString()}>{age(Date.parse(one.time))}</span></div>
          <div class="what">
            <p class="line"><span class="title">{nameOf(one.path)}</span> <span class="muted small">{deedOf(one)} {sizeOf(one)}</span></p>
            <p class="change">{one.changes.slice(0, 1).map(([old, added], number) => <Diff key={number} old={old} added={added} near />)}</p>
          </div>
        </>}
      </div>
    );
  };
  const current = rows[at];
  return <Rows class="revisions" role="listbox" label="Revisions, newest first" count={rows.length} height={HEIGHT} row={row} current={at} active={current && `revision-${current.revision}`} onKeyDown={onKeyDown} onEnd={more} />;
}

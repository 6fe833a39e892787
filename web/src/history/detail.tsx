// One revision: what it changed, or how it differs from another of its note; restored by a click.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { get, maybe, post, type Revised } from "../api.ts";
import { Diff, Who } from "../parts/diff.tsx";
import { complain, hrefOf, open, readOnly, tell } from "../store.ts";
import { age } from "../text/age.ts";
import { nameOf } from "../text/paths.ts";
import { type Passage, passages } from "./passages.ts";
import { deedOf } from "./words.ts";

const SHOWN_MAX = 200;
const REST_MS = 90;

interface Props {
  readonly row: Revised;
  /** Another revision of the note to compare with. */
  readonly base: Revised | null;
  readonly setBase: (row: Revised | null) => void;
  readonly back: () => void;
  readonly restored: () => void;
}

export function Detail({ row, base, setBase, back, restored }: Props) {
  const found = useSignal<readonly Passage[] | null>(null);
  const failed = useSignal(false);
  const other = base && base.revision !== row.revision ? base : null;
  const asked = useRef(0);
  useEffect(() => {
    const turn = ++asked.current;
    // Whoever runs down the list with the keys asks for the last one alone.
    const timer = setTimeout(async () => {
      const [id, from] = other ? [Math.max(row.revision, other.revision), Math.min(row.revision, other.revision)] : [row.revision, 0];
      const answer = await maybe(get("history/revision", { id, other: from || undefined }));
      if (turn !== asked.current) return;
      failed.value = !answer;
      found.value = answer ? passages(answer.seen_old, answer.seen_new) : null;
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [row.revision, other?.revision]);
  const restore = async () => {
    try {
      const { path } = await post<{ path: string }>("history/restore", { revision: row.revision });
      tell(`${nameOf(path)} is as it was.`, { label: "Open", run: () => open(path) });
      restored();
    } catch (error) {
      complain(error);
    }
  };
  const moment = Date.parse(row.time);
  return (
    <section class="detail" aria-label="What this revision changed" tabIndex={-1}>
      <header>
        <button type="button" class="small only-narrow" onClick={back}>Back</button>
        <div><h2><a href={hrefOf(row.path)}>{nameOf(row.path)}</a></h2>
          <p class="small"><span class={row.kind}><Who name={row.by} /></span> <span class="muted">{deedOf(row)}, <time dateTime={row.time} title={new Date(moment).toLocaleString()}>{age(moment)}</time></span></p></div>
      </header>
      {base && <p class="comparing small" role="status">{other ? <>Compared with the version of <Who name={base.by} />, {age(Date.parse(base.time))}.</> : "Choose another version in the list to compare with this one."} <button type="button" class="small" onClick={() => setBase(null)}>Stop comparing</button></p>}
      <div class="passages" aria-live="polite">
        {failed.value && <p class="empty">This version is no longer kept.</p>}
        {found.value?.slice(0, SHOWN_MAX).map((one) => <div key={one.line} class="passage"><span class="line-number muted small"><span class="hidden">Line </span>{one.line}</span><p><Diff old={one.old} added={one.added} near /></p></div>)}
        {found.value && found.value.length > SHOWN_MAX && <p class="muted small">and {(found.value.length - SHOWN_MAX).toLocaleString()} more places</p>}
        {found.value?.length === 0 && <p class="muted">The text is the same.</p>}
      </div>
      <p class="acts">
        {!readOnly.value && <button type="button" class="small" onClick={() => void restore()}>Restore this version</button>}
        {!base && <button type="button" class="small" onClick={() => setBase(row)}>Compare with another</button>}
        <a class="small" href={`#history!${encodeURIComponent(row.path)}`}>History of this note</a>
      </p>
    </section>
  );
}

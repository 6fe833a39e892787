// A list of any length: only the rows in view exist. All rows have one height.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface ListProps {
  readonly count: number;
  readonly row: (index: number) => ComponentChildren;
  readonly label: string;
  readonly role?: "list" | "tree" | "listbox" | "grid";
  /** The row to keep in view. */
  readonly current?: number;
  readonly onEnd?: () => void;
  readonly class?: string;
  readonly multi?: boolean;
  readonly active?: string | undefined;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

interface Props extends ListProps {
  readonly height: number;
  readonly id?: string;
}

const SPARE = 8;

export function Rows({ count, height, row, label, role = "list", current, onEnd, id, multi, active, onKeyDown, ...rest }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(600);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => setRoom(box.current?.clientHeight ?? 600));
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (current === undefined || current < 0 || !box.current) return;
    const [above, below] = [current * height, (current + 1) * height];
    const view = box.current;
    if (above < view.scrollTop) view.scrollTop = above;
    else if (below > view.scrollTop + view.clientHeight) view.scrollTop = below - view.clientHeight;
  }, [current, height]);
  const first = Math.max(0, Math.floor(top / height) - SPARE);
  const last = Math.min(count, Math.ceil((top + room) / height) + SPARE);
  useEffect(() => {
    if (last >= count) onEnd?.();
  }, [last, count]);
  const shown = [];
  for (let index = first; index < last; index++) shown.push(row(index));
  return (
    <div ref={box} id={id} class={`rows ${rest.class ?? ""}`} role={role} aria-label={label} tabIndex={0}
      aria-multiselectable={multi || undefined} aria-activedescendant={active} onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div class="rows-all" role="presentation" style={{ height: `${count * height}px` }}>
        <div class="rows-shown" role="presentation" style={{ transform: `translateY(${first * height}px)` }}>{shown}</div>
      </div>
    </div>
  );
}

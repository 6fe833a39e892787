// A list whose rows are as tall as they must be: more of it is drawn as one comes near its end.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { ListProps } from "./rows.tsx";

const STEP = 30;
const NEAR_PX = 1200;

export function TallRows({ count, row, label, role = "list", current, onEnd, multi, active, onKeyDown, ...rest }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState(STEP);
  const go = () => {
    const view = box.current;
    if (view && view.scrollHeight - view.scrollTop - view.clientHeight < NEAR_PX) setDrawn((now) => (now < count ? now + STEP : now));
  };
  useLayoutEffect(go, [drawn, count]);
  useLayoutEffect(() => {
    if (current === undefined || current < 0) return;
    if (current >= drawn) setDrawn(current + STEP);
    else box.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [current, drawn]);
  useEffect(() => {
    if (drawn >= count) onEnd?.();
  }, [drawn, count]);
  const shown = [];
  for (let index = 0; index < Math.min(drawn, count); index++) shown.push(row(index));
  return (
    <div ref={box} class={`rows tall-rows ${rest.class ?? ""}`} role={role} aria-label={label} tabIndex={0}
      aria-multiselectable={multi || undefined} aria-activedescendant={active} onKeyDown={onKeyDown} onScroll={go}>{shown}</div>
  );
}

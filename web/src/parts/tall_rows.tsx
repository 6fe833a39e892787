// A list whose rows are as tall as they must be: more of it is drawn as one comes near its end.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const STEP = 30;
const NEAR_PX = 1200;

export function TallRows({ count, label, row }: { count: number; label: string; row: (index: number) => ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState(STEP);
  const go = () => {
    const view = box.current;
    if (view && view.scrollHeight - view.scrollTop - view.clientHeight < NEAR_PX) setDrawn((now) => (now < count ? now + STEP : now));
  };
  useLayoutEffect(go, [drawn, count]);
  const shown = [];
  for (let index = 0; index < Math.min(drawn, count); index++) shown.push(row(index));
  return <div ref={box} class="rows tall-rows" role="list" aria-label={label} tabIndex={0} onScroll={go}>{shown}</div>;
}

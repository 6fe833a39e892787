// A menu at a place of the page: one thing at a time, by mouse, touch or keys.

import { signal } from "@preact/signals";
import { render } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface MenuItem {
  readonly label: string;
  readonly run: () => void;
}

interface Shown {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly x: number;
  readonly y: number;
  readonly before: Element | null;
}

const shown = signal<Shown | null>(null);
const MARGIN = 8;
const place = document.createElement("div");

export function showMenu(label: string, items: readonly MenuItem[], x: number, y: number): void {
  shown.value = { label, items, x, y, before: document.activeElement };
  if (place.isConnected) return;
  (document.querySelector(".sidebar") ?? document.body).append(place);
  render(<Menu />, place);
}

function close(): void {
  const before = shown.peek()?.before;
  shown.value = null;
  if (before instanceof HTMLElement && before.isConnected) before.focus();
}

function Menu() {
  const now = shown.value;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!now || !box.current) return undefined;
    const { width, height } = box.current.getBoundingClientRect();
    box.current.style.left = `${Math.max(MARGIN, Math.min(now.x, innerWidth - width - MARGIN))}px`;
    box.current.style.top = `${Math.max(MARGIN, Math.min(now.y, innerHeight - height - MARGIN))}px`;
    box.current.querySelector("button")?.focus();
    const outside = (event: Event) => { if (!box.current?.contains(event.target as Node)) shown.value = null; };
    addEventListener("pointerdown", outside, true);
    addEventListener("hashchange", outside);
    return () => {
      removeEventListener("pointerdown", outside, true);
      removeEventListener("hashchange", outside);
    };
  }, [now]);
  if (!now) return null;
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...box.current!.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + buttons.length, Home: 0, End: buttons.length - 1 }[event.key];
    if (next !== undefined) buttons[next % buttons.length]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={box} class="context-menu" role="menu" aria-label={now.label} tabIndex={-1} onKeyDown={onKeyDown}>
      {now.items.map(({ label, run }) => <button key={label} type="button" role="menuitem" onClick={() => { close(); run(); }}>{label}</button>)}
    </div>
  );
}

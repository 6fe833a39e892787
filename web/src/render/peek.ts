// A look at a linked note without leaving: shown while the pointer, or the focus, rests on its link.

import { renderInto } from "./render.ts";
import type { Reading } from "./reading.ts";
import { sectionOf } from "./sections.ts";

const WAIT_MS = 350;
const LEAVE_MS = 180;
const CHARS_MAX = 4000;
const GAP = 6;

let shown: { readonly box: HTMLElement; readonly link: HTMLElement } | null = null;
let timer = 0;
/** Grows with each wish to look, and when there is none any more: what was asked for before comes too late. */
let wish = 0;

export function peekAt(link: HTMLAnchorElement, path: string, place: string, reading: Reading): void {
  const soon = () => {
    clearTimeout(timer);
    wish += 1;
    if (shown?.link !== link) timer = window.setTimeout(() => void show(link, path, place, reading), WAIT_MS);
  };
  link.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && soon());
  link.addEventListener("pointerleave", leave);
  link.addEventListener("click", hide);
}

function leave(): void {
  clearTimeout(timer);
  timer = window.setTimeout(hide, LEAVE_MS);
}

function hide(): void {
  clearTimeout(timer);
  wish += 1;
  shown?.box.remove();
  shown = null;
}

async function show(link: HTMLElement, path: string, place: string, reading: Reading): Promise<void> {
  const wished = wish;
  const text = await reading.text(path);
  if (wished !== wish) return;
  const section = text === null ? null : (sectionOf(text, place) ?? { text, line: 0 });
  if (!section || !link.isConnected || !link.matches(":hover")) return;
  hide();
  const box = document.createElement("div");
  box.className = "peek prose floating";
  box.setAttribute("role", "tooltip");
  renderInto(box, section.text.slice(0, CHARS_MAX), { ...reading, path, peeks: false, properties: false, tick: undefined }, [path], section.line);
  box.addEventListener("pointerenter", () => clearTimeout(timer));
  box.addEventListener("pointerleave", leave);
  document.body.append(box);
  position(box, link.getBoundingClientRect());
  shown = { box, link };
}

function position(box: HTMLElement, at: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = box;
  const above = at.top - height - GAP;
  box.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - width - GAP))}px`;
  box.style.top = `${above > GAP ? above : Math.min(at.bottom + GAP, innerHeight - height - GAP)}px`;
}

addEventListener("hashchange", hide);
addEventListener("keydown", (event) => event.key === "Escape" && hide());
addEventListener("scroll", (event) => !(event.target instanceof Node && shown?.box.contains(event.target)) && hide(), true);

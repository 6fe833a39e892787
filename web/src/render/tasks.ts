// Task boxes that can be ticked.

import type { Reading } from "./reading.ts";

export function taskBoxes(fragment: DocumentFragment, reading: Reading): void {
  for (const item of fragment.querySelectorAll<HTMLLIElement>("li[data-task]")) {
    const mark = item.getAttribute("data-task")!;
    const place = item.querySelector(":scope > p") ?? item;
    const box = document.createElement("input");
    box.type = "checkbox";
    box.className = "task-box";
    box.checked = mark === "done";
    box.setAttribute("aria-label", labelOf(place) || "Task");
    item.classList.add("task");
    if (box.checked) item.classList.add("done");
    const line = Number(item.getAttribute("data-line"));
    const { tick } = reading;
    if (tick) box.addEventListener("change", () => tick({ line, done: box.checked }));
    else box.disabled = true;
    place.prepend(box, " ");
  }
}

/** What the task says, without the tasks below it. */
function labelOf(place: Element): string {
  const own = place.cloneNode(true) as Element;
  own.querySelectorAll("ul, ol").forEach((list) => list.remove());
  return (own.textContent ?? "").trim().slice(0, 200);
}

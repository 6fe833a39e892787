// Formulas as MathML, which browsers draw by themselves; in a chunk of its own.

import temml from "temml";

const LENGTH_MAX = 20_000;

/** Draw a formula; what is not understood stays as it is written, marked so. */
export function drawMath(element: HTMLElement): void {
  const tex = element.dataset["tex"] ?? "";
  try {
    if (tex.length > LENGTH_MAX) throw new Error("too long");
    // Made node by node: no text of the note is read as HTML, and nothing of it is trusted.
    temml.render(tex, element, { displayMode: element.classList.contains("display"), throwOnError: true, trust: false, maxExpand: 500, maxSize: [20, 500] });
    element.querySelector("math")?.setAttribute("aria-label", tex);
  } catch {
    element.textContent = tex;
    element.classList.add("wrong-math");
    element.title = "This formula is not understood.";
  }
}

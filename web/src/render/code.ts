// Code: a button to copy it, and colours, which are fetched when there is something to colour.

const CODE_MAX = 100_000;
const PLAIN = new Set(["none", "text", "txt", "plain", "mermaid", "query", "dataview", "base"]);

export function addCopyButtons(element: ParentNode): void {
  for (const area of element.querySelectorAll<HTMLPreElement>("pre")) {
    const code = area.querySelector("code");
    if (!code || area.parentElement?.classList.contains("code-box")) continue;
    area.tabIndex = 0;
    area.setAttribute("role", "group");
    area.setAttribute("aria-label", "Code");
    const box = document.createElement("div");
    box.className = "code-box";
    area.replaceWith(box);
    box.append(area, copyButton(code));
  }
}

function copyButton(code: HTMLElement): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy small";
  button.textContent = "Copy";
  button.addEventListener("click", () => {
    void navigator.clipboard.writeText(code.textContent ?? "").then(
      () => (button.textContent = "Copied"),
      () => (button.textContent = "Not copied"),
    );
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  return button;
}

const languageOf = (code: Element) => /(?:^| )language-(\S+)/.exec(code.className)?.[1] ?? "none";

export async function colourCode(element: ParentNode): Promise<void> {
  const found = [...element.querySelectorAll<HTMLElement>("pre > code[class]")].filter((code) => !PLAIN.has(languageOf(code)) && (code.textContent ?? "").length <= CODE_MAX);
  if (!found.length) return;
  const { coloured } = await import("./colours.ts");
  for (const code of found) {
    const fragment = coloured(code.textContent ?? "", languageOf(code));
    if (fragment) code.replaceChildren(fragment);
  }
}

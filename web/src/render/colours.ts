// Colours for code; in a chunk of its own, with the languages that are met most.

import highlighter from "highlight.js/lib/common";

/** The code with its parts marked; null for a language that is not known. */
export function coloured(code: string, language: string): DocumentFragment | null {
  if (!highlighter.getLanguage(language)) return null;
  const { value } = highlighter.highlight(code, { language, ignoreIllegals: true });
  // Read as HTML in a document that runs and loads nothing; only words and classes are taken over.
  const parsed = new DOMParser().parseFromString(`<pre>${value}</pre>`, "text/html").querySelector("pre");
  const fragment = document.createDocumentFragment();
  for (const node of parsed?.childNodes ?? []) fragment.append(copied(node));
  return fragment;
}

function copied(node: Node): Node {
  if (!(node instanceof HTMLElement)) return document.createTextNode(node.textContent ?? "");
  const span = document.createElement("span");
  span.className = [...node.classList].filter((name) => /^hljs-[\w-]+$/.test(name)).join(" ");
  for (const child of node.childNodes) span.append(copied(child));
  return span;
}

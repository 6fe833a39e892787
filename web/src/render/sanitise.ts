// The last word on HTML that was made of a note: only what the renderer itself can make gets through.

import DOMPurify from "dompurify";

import { TAGS } from "./html.ts";

const ATTRIBUTES = "align alt class colspan height href open reversed rowspan span start title valign width";
const CLASSES = new Set(["callout", "callout-title", "callout-body", "math", "display", "footnotes", "footnote-ref", "footnote-back"]);

const purifier = DOMPurify();
purifier.addHook("uponSanitizeAttribute", (_element, data) => {
  if (data.attrName !== "class") return;
  data.attrValue = data.attrValue.split(" ").filter((name) => CLASSES.has(name) || /^language-[\w+#.-]{1,40}$/.test(name)).join(" ");
  data.keepAttr = data.attrValue !== "";
});

export function sanitised(html: string): DocumentFragment {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES.split(" "),
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|obsidian:|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
    ALLOW_DATA_ATTR: true,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

// What is typed after a dialog was asked for and before it is there, since its code may still be on
// its way: kept, and then typed into its field.

import { dialog } from "./store.ts";

let kept: { readonly asked: unknown; text: string } = { asked: null, text: "" };

/** Keep a key for the dialog that was asked for; tells whether it was one to keep. */
export function keepKey(key: string): boolean {
  const asked = dialog.peek();
  if (!asked || document.querySelector("dialog[open]")) return false;
  if (kept.asked !== asked) kept = { asked, text: "" };
  if (key === "Escape") dialog.value = null;
  else if (key === "Backspace") kept.text = kept.text.slice(0, -1);
  else if (key === "Enter" || key.length === 1) kept.text += key === "Enter" ? "\n" : key;
  else return false;
  return true;
}

/** Type what was kept for the dialog into the field that has the focus; without one it is dropped. */
export function typeKept(): void {
  const field = document.activeElement;
  const { asked, text } = kept;
  kept = { asked: null, text: "" };
  if (asked !== dialog.peek() || !text || !(field instanceof HTMLInputElement) || !field.closest("dialog")) return;
  const [words, ...entered] = text.split("\n");
  field.setRangeText(words!, field.selectionStart ?? 0, field.selectionEnd ?? field.value.length, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true, data: words!, inputType: "insertText" }));
  if (!entered.length) return;
  if (field.form) field.form.requestSubmit();
  else setTimeout(() => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })));
}

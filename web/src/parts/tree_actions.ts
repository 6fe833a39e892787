// What can be done to the rows of the tree: a menu for each, and moving by dragging.

import { moveFolder, moveNote } from "../moving.ts";
import { complain, dialog, hrefOf, readOnly, resolver, tell } from "../store.ts";
import { linkTo } from "../text/paths.ts";
import type { Row } from "../text/tree.ts";
import { type MenuItem, showMenu } from "./menu.tsx";

export function drop(dragged: string, folder: string): void {
  const path = dragged.replace(/\/$/, "");
  const to = folder ? `${folder}/${path.slice(path.lastIndexOf("/") + 1)}` : path.slice(path.lastIndexOf("/") + 1);
  if (to === path) return;
  void (dragged.endsWith("/") ? moveFolder(path, to) : moveNote(path, to)).catch(complain);
}

export function openMenu(row: Row | undefined, folder: string, x: number, y: number): void {
  const copy = (text: string, what: string) => () => void navigator.clipboard.writeText(text).then(() => tell(`${what} copied.`), complain);
  const making: MenuItem[] = [
    { label: folder ? "New note here" : "New note", run: () => (dialog.value = { kind: "create", path: folder && `${folder}/`, template: "" }) },
    { label: folder ? "New folder here" : "New folder", run: () => (dialog.value = { kind: "create-folder", path: folder }) },
  ];
  const items: MenuItem[] = readOnly.value ? [] : making;
  if (row && !readOnly.value) items.push({ label: "Rename or move", run: () => (dialog.value = { kind: row.folder ? "rename-folder" : "rename", path: row.path }) });
  if (row && !row.folder) {
    items.push({ label: "Copy link", run: copy(linkTo(row.path, resolver.peek()), "Link") }, { label: "Copy address", run: copy(new URL(hrefOf(row.path), location.href).href, "Address") });
    if (!readOnly.value) items.push({ label: "Delete", run: () => (dialog.value = { kind: "delete", path: row.path }) });
  }
  if (items.length) showMenu(row ? row.name : "Notes", items, x, y);
}

// The notes as a tree. One tab stop; arrows move, right and left open and close, Enter opens. What
// is dragged onto a folder moves there; a menu has the rest.

import { computed, signal, useComputed, useSignal } from "@preact/signals";

import { dialog, emptyFolders, hrefOf, notes, openText, place, readOnly, resolver } from "../store.ts";
import { folderOf, linkTo } from "../text/paths.ts";
import { folderTree, openRows, type Row } from "../text/tree.ts";
import { Icon } from "./icon.tsx";
import { Rows } from "./rows.tsx";

const HEIGHT = 30;
const DRAGGED = "application/x-commonplace-path";
/** What is needed only once somebody changes something here. */
const actions = () => import("./tree_actions.ts");
const coarse = matchMedia("(pointer: coarse)");

const opened = signal<ReadonlySet<string>>(new Set());
const tree = computed(() => folderTree(notes.value ?? [], emptyFolders.value));

function toggle(path: string, wanted?: boolean): void {
  const next = new Set(opened.peek());
  if (wanted ?? !next.has(path)) next.add(path);
  else next.delete(path);
  opened.value = next;
}

export function reveal(path: string): void {
  const next = new Set(opened.peek());
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) next.add(path.slice(0, at));
  if (next.size !== opened.peek().size) opened.value = next;
}

export function Tree() {
  const rows = useComputed(() => openRows(tree.value, opened.value));
  const cursor = useSignal(-1);
  const here = place.value.view === "note" ? place.value.path : "";
  const at = rows.value.findIndex((row) => !row.folder && row.path === here);
  const current = cursor.value >= 0 ? Math.min(cursor.value, rows.value.length - 1) : at;
  const over = useSignal<string | null>(null);
  const move = (event: KeyboardEvent) => {
    if (steer(event, rows.value, current, (next) => (cursor.value = next))) event.preventDefault();
  };
  const rowAt = (event: Event): Row | undefined => rows.value[Number((event.target as Element).closest<HTMLElement>("[data-row]")?.dataset["row"] ?? -1)];
  const onMenu = (event: MouseEvent) => {
    event.preventDefault();
    const row = rowAt(event);
    void actions().then(({ openMenu }) => openMenu(row, folderUnder(row), event.clientX, event.clientY));
  };
  const onDragStart = (event: DragEvent) => {
    const row = rowAt(event);
    if (!row || readOnly.value) return;
    event.dataTransfer?.setData(DRAGGED, row.folder ? `${row.path}/` : row.path);
    // Dropped into a text, a note becomes a link to it.
    event.dataTransfer?.setData("text/plain", row.folder ? row.path : linkTo(row.path, resolver.peek()));
  };
  const onDragOver = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes(DRAGGED)) return;
    event.preventDefault();
    over.value = folderUnder(rowAt(event));
  };
  const onDrop = (event: DragEvent) => {
    const dragged = event.dataTransfer?.getData(DRAGGED);
    over.value = null;
    if (!dragged) return;
    event.preventDefault();
    const folder = folderUnder(rowAt(event));
    void actions().then(({ drop }) => drop(dragged, folder));
  };
  if (notes.value && !notes.value.length && !emptyFolders.value.length) return <p class="empty">No notes yet.</p>;
  return (
    <div class={`tree-drop${over.value === "" ? " over" : ""}`} onContextMenu={onMenu} onDragStart={onDragStart} onDragOver={onDragOver} onDragLeave={() => (over.value = null)} onDrop={onDrop}>
    <Rows count={rows.value.length} height={HEIGHT} label="Notes" role="tree" class="tree" current={current} onKeyDown={move}
      active={rows.value[current] ? `tree-${current}` : undefined}
      row={(index) => <TreeRow key={rows.value[index]!.path} row={rows.value[index]!} index={index} here={index === at} current={index === current} over={rows.value[index]!.folder && rows.value[index]!.path === over.value} />} />
    </div>
  );
}

/** Where something lands that is dropped on a row: in the folder, or in that of the note. */
function folderUnder(row: Row | undefined): string {
  return row ? (row.folder ? row.path : folderOf(row.path)) : "";
}

function steer(event: KeyboardEvent, rows: Row[], current: number, go: (index: number) => void): boolean {
  const row = rows[current];
  switch (event.key) {
    case "ArrowDown": go(Math.min(rows.length - 1, current + 1)); return true;
    case "ArrowUp": go(Math.max(0, current - 1)); return true;
    case "Home": go(0); return true;
    case "End": go(rows.length - 1); return true;
    case "ArrowRight":
      if (row?.folder) toggle(row.path, true);
      return true;
    case "ArrowLeft": {
      if (row?.folder && row.open) toggle(row.path, false);
      else if (row) go(Math.max(0, rows.findIndex((other) => other.folder && row.path.startsWith(`${other.path}/`) && other.depth === row.depth - 1)));
      return true;
    }
    case "Enter":
    case " ":
      if (row?.folder) toggle(row.path);
      else if (row) openText(row.path);
      return true;
    case "F2":
      if (row && !readOnly.peek()) dialog.value = { kind: row.folder ? "rename-folder" : "rename", path: row.path };
      return true;
    case "F10":
    case "ContextMenu": {
      if (event.key === "F10" && !event.shiftKey) return false;
      const box = document.getElementById(`tree-${current}`)?.getBoundingClientRect();
      void actions().then(({ openMenu }) => openMenu(row, folderUnder(row), (box?.left ?? 0) + 24, box?.bottom ?? 0));
      return true;
    }
    default: return false;
  }
}

function TreeRow({ row, index, here, current, over }: { row: Row; index: number; here: boolean; current: boolean; over: boolean }) {
  const shared = {
    id: `tree-${index}`, role: "treeitem" as const, "aria-level": row.depth + 1, "aria-selected": here, tabIndex: -1, title: row.name, draggable: !readOnly.value, "data-row": index,
    class: `tree-row${here ? " here" : ""}${current ? " current" : ""}${row.folder ? " folder" : ""}${over ? " over" : ""}`,
    style: { paddingLeft: `${12 + row.depth * 16}px` },
  };
  const count = row.pending > 0 && (!row.folder || !row.open) && (
    <span class="count" title={`${row.pending} pending`}>{row.pending > 999 ? "999+" : row.pending}<span class="hidden"> pending</span></span>
  );
  if (row.folder) {
    return (
      <div {...shared} aria-expanded={row.open} onClick={() => toggle(row.path)}>
        <Icon name="chevron" /><span class="name">{row.name}</span>{count}
      </div>
    );
  }
  // On a screen for fingers the keyboard stays away until somebody wants to write.
  const write = (event: MouseEvent) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || coarse.matches) return;
    event.preventDefault();
    openText(row.path);
  };
  return <a {...shared} href={hrefOf(row.path)} onClick={write}><span class="name">{row.name}</span>{count}</a>;
}

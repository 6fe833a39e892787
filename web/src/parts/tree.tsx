// The notes as a tree. One tab stop; arrows move, right and left open and close, Enter opens.

import { computed, signal, useComputed, useSignal } from "@preact/signals";

import { hrefOf, notes, open, place } from "../store.ts";
import { folderTree, openRows, type Row } from "../text/tree.ts";
import { Icon } from "./icon.tsx";
import { Rows } from "./rows.tsx";

const HEIGHT = 30;

const opened = signal<ReadonlySet<string>>(new Set());
const tree = computed(() => folderTree(notes.value ?? []));

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
  const move = (event: KeyboardEvent) => {
    if (steer(event, rows.value, current, (next) => (cursor.value = next))) event.preventDefault();
  };
  if (notes.value && !notes.value.length) return <p class="empty">No notes yet.</p>;
  return (
    <Rows count={rows.value.length} height={HEIGHT} label="Notes" role="tree" class="tree" current={current} onKeyDown={move}
      active={rows.value[current] ? `tree-${current}` : undefined}
      row={(index) => <TreeRow key={rows.value[index]!.path} row={rows.value[index]!} index={index} here={index === at} current={index === current} />} />
  );
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
      else if (row) open(row.path);
      return true;
    default: return false;
  }
}

function TreeRow({ row, index, here, current }: { row: Row; index: number; here: boolean; current: boolean }) {
  const shared = {
    id: `tree-${index}`, role: "treeitem" as const, "aria-level": row.depth + 1, "aria-selected": here, tabIndex: -1, title: row.name,
    class: `tree-row${here ? " here" : ""}${current ? " current" : ""}${row.folder ? " folder" : ""}`,
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
  return <a {...shared} href={hrefOf(row.path)}><span class="name">{row.name}</span>{count}</a>;
}

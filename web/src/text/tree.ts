// The list of notes as a tree of folders, flattened to the rows that are open.

export interface Row {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly folder: boolean;
  readonly open: boolean;
  readonly pending: number;
}

interface Folder {
  readonly path: string;
  readonly folders: Map<string, Folder>;
  readonly notes: Leaf[];
  pending: number;
}
interface Leaf {
  readonly path: string;
  readonly pending: number;
}

export function folderTree(notes: readonly Leaf[]): Folder {
  const top: Folder = { path: "", folders: new Map(), notes: [], pending: 0 };
  for (const note of notes) {
    let folder = top;
    folder.pending += note.pending;
    for (let at = note.path.indexOf("/"), from = 0; at >= 0; from = at + 1, at = note.path.indexOf("/", from)) {
      const name = note.path.slice(from, at);
      let inner = folder.folders.get(name);
      if (!inner) {
        inner = { path: note.path.slice(0, at), folders: new Map(), notes: [], pending: 0 };
        folder.folders.set(name, inner);
      }
      inner.pending += note.pending;
      folder = inner;
    }
    folder.notes.push(note);
  }
  return top;
}

export function openRows(top: Folder, open: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const add = (folder: Folder, depth: number) => {
    for (const [name, inner] of folder.folders) {
      const isOpen = open.has(inner.path);
      rows.push({ path: inner.path, name, depth, folder: true, open: isOpen, pending: inner.pending });
      if (isOpen) add(inner, depth + 1);
    }
    for (const { path, pending } of folder.notes) {
      const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/i, "");
      rows.push({ path, name, depth, folder: false, open: false, pending });
    }
  };
  add(top, 0);
  return rows;
}

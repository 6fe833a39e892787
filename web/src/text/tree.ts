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

/** Build the tree of notes, and of folders that hold none yet. */
export function folderTree(notes: readonly Leaf[], empty: readonly string[] = []): Folder {
  const top: Folder = { path: "", folders: new Map(), notes: [], pending: 0 };
  for (const note of notes) folderAt(top, note.path, note.pending).notes.push(note);
  for (const path of empty) folderAt(top, `${path}/`, 0);
  for (const path of empty) sortFolders(folderAt(top, path, 0));
  return top;
}

/** The folder that a path lies in, made if there is none; what waits in it counts all the way up. */
function folderAt(top: Folder, path: string, pending: number): Folder {
  let folder = top;
  folder.pending += pending;
  for (let at = path.indexOf("/"), from = 0; at >= 0; from = at + 1, at = path.indexOf("/", from)) {
    const name = path.slice(from, at);
    let inner = folder.folders.get(name);
    if (!inner) {
      inner = { path: path.slice(0, at), folders: new Map(), notes: [], pending: 0 };
      folder.folders.set(name, inner);
    }
    inner.pending += pending;
    folder = inner;
  }
  return folder;
}

const collator = new Intl.Collator(undefined, { numeric: true });

function sortFolders({ folders }: Folder): void {
  const sorted = [...folders].sort(([one], [other]) => collator.compare(one, other));
  folders.clear();
  for (const [name, folder] of sorted) folders.set(name, folder);
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

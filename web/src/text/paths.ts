// Note paths, and which note a wikilink means. The server's index has the last word (it knows
// aliases and titles); this is what a click needs at once.

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/i, "");
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export interface Target {
  readonly note: string;
  readonly heading: string;
}

/** Take a link apart: `note#heading|alias`. */
export function targetOf(link: string): Target {
  const bar = link.indexOf("|");
  const target = (bar < 0 ? link : link.slice(0, bar)).trim();
  const hash = target.search(/[#^]/);
  return hash < 0 ? { note: target, heading: "" } : { note: target.slice(0, hash).trim(), heading: target.slice(hash + 1) };
}

function normal(path: string): string {
  return path.normalize("NFC").toLowerCase().replace(/\.md$/, "");
}

/** Finds notes by what links call them; made anew whenever the list of notes changes. */
export class Resolver {
  private readonly byPath = new Map<string, string>();
  private readonly byName = new Map<string, string[]>();

  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      const key = normal(path);
      this.byPath.set(key, path);
      const name = key.slice(key.lastIndexOf("/") + 1);
      const same = this.byName.get(name);
      if (same) same.push(path);
      else this.byName.set(name, [path]);
    }
  }

  resolve(note: string, from: string): string | null {
    const wanted = normal(note.replace(/^\/+/, ""));
    if (!wanted) return from;
    const folder = normal(folderOf(from));
    const near = this.byPath.get(folder ? `${folder}/${wanted}` : wanted) ?? this.byPath.get(wanted);
    if (near) return near;
    const name = wanted.slice(wanted.lastIndexOf("/") + 1);
    const suffix = `/${wanted}`;
    const found = (this.byName.get(name) ?? []).filter((path) => `/${normal(path)}`.endsWith(suffix));
    return found.sort((one, other) => one.length - other.length || (one < other ? -1 : 1))[0] ?? null;
  }
}

/** How a note is linked to from anywhere: by its name where that is enough. */
export function linkTo(path: string, resolver: Resolver): string {
  const name = nameOf(path);
  return `[[${resolver.resolve(name, "") === path ? name : path.replace(/\.md$/i, "")}]]`;
}

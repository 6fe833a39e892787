// What the renderer asks of whoever shows a note. It knows nothing of the page beside this, so that
// the same code can make previews, embeds, and pages that stand by themselves.

export interface Reading {
  /** The note that is shown; links are relative to it. */
  readonly path: string;
  /** The path of the note that a link means, or null. */
  resolve(note: string, from: string): string | null;
  /** The address of a note, or of a heading or block in it. */
  href(path: string, place: string): string;
  /** The address of the file that a link means, or null where files cannot be had. */
  fileUrl(link: string, from: string): string | null;
  /** The text of another note as it reads, or null if there is none. */
  text(path: string): Promise<string | null>;
  follow(link: string, from: string): void;
  openTag(tag: string): void;
  /** Tick a task box, or take the tick away; without it boxes can only be looked at. */
  readonly tick?: ((task: Task) => void) | undefined;
  /** Whether a single newline is kept as one, as Obsidian does. */
  readonly breaks: boolean;
  readonly dark: boolean;
  /** Whether there is a frame that draws diagrams; without it they stay as they are written. */
  readonly diagrams: boolean;
  /** Whether the properties are shown above the text. */
  readonly properties: boolean;
  /** Where linked notes can be looked at without leaving; without it there is no such preview. */
  readonly peeks?: boolean | undefined;
}

/** A task, by the line of the note (as it reads) in which it stands, from 0. */
export interface Task {
  readonly line: number;
  readonly done: boolean;
}

/** A link taken apart: `note#heading^block|alias`. */
export interface Link {
  readonly note: string;
  /** A heading, or `^block`; headings below headings are joined by `#`. */
  readonly place: string;
  readonly alias: string;
}

export function linkOf(link: string): Link {
  const bar = link.indexOf("|");
  const target = (bar < 0 ? link : link.slice(0, bar)).replace(/\\$/, "").trim();
  const alias = bar < 0 ? "" : link.slice(bar + 1).trim();
  const hash = target.search(/[#^]/);
  if (hash < 0) return { note: target, place: "", alias };
  const place = target[hash] === "^" ? target.slice(hash) : target.slice(hash + 1);
  return { note: target.slice(0, hash).trim(), place: place.trim(), alias };
}

/** An address that leads out of the vault. */
export const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

// Fenced code, found while the text is read from left to right; markup inside a fence is text.
//
// The same rules as the server's `core/critic/fences.py`: fences are those of the text without its
// suggestions and comments.

const PREFIX_MAX = 200;
const SLACK = 3;
const RUN = /`{3,}|~{3,}/g;
const CONTAINER = /^[ \t]*(?:(?:>|(?:[-*+]|\p{Nd}{1,9}[.)])[ \t])[ \t]*)*$/u;
const CLOSER = /\+\+\}|--\}|~~\}|==\}|<<\}/;
const OPENER = /\{(?:\+\+|--|~~|==|>>)/;
const ALONE = /[ \t]*(?:\r?\n|\r?(?![\s\S])|==\}|\{(?:\+\+|--|~~|==|>>))/y;

interface Opening {
  readonly at: number;
  readonly run: string;
  readonly quotes: number;
  readonly indent: number;
  readonly inList: boolean;
}

export class Fences {
  readonly blocks: (readonly [number, number])[] = [];
  private readonly runs: [number, number][] = [];
  private readonly containers = new Map<string, number>();
  private next = 0;
  private plain = 0;
  private prefix = "";

  constructor(private readonly text: string) {
    if (!text.includes("```") && !text.includes("~~~")) return;
    for (const match of text.matchAll(RUN)) this.runs.push([match.index, match.index + match[0].length]);
  }

  get ahead(): boolean {
    return this.next < this.runs.length;
  }

  /** Open every fence that starts before `limit`; return where the last one ends. */
  before(limit: number): number {
    let end = 0;
    for (let run = this.runs[this.next]; run && run[0] < limit; run = this.runs[this.next]) {
      this.next++;
      this.advance(run[0]);
      const opening = this.opening(run[0], run[1]);
      if (opening) end = this.close(opening);
    }
    return end;
  }

  /** Pass over markup, which belongs to no line. */
  leaveOut(start: number, end: number): void {
    this.advance(start);
    this.resume(end);
  }

  private advance(to: number): void {
    const newline = to > this.plain ? this.text.lastIndexOf("\n", to - 1) : -1;
    const line = newline >= this.plain ? newline + 1 : 0;
    const begun = line ? "" : this.prefix;
    const start = Math.max(line, this.plain);
    const taken = this.text.slice(start, Math.max(start, Math.min(to, start + PREFIX_MAX)));
    this.prefix = (begun + taken).slice(0, PREFIX_MAX);
    this.plain = to;
  }

  private resume(at: number): void {
    this.plain = at;
    while ((this.runs[this.next]?.[0] ?? at) < at) this.next++;
  }

  private opening(start: number, stop: number): Opening | null {
    const { prefix } = this;
    if (prefix.length >= PREFIX_MAX || !CONTAINER.test(prefix)) return null;
    const run = this.text.slice(start, stop);
    const newline = this.text.indexOf("\n", stop);
    const info = this.text.slice(stop, newline >= 0 ? newline : this.text.length);
    if ((run.startsWith("`") && info.includes("`")) || endsMarkup(info)) return null;
    const last = prefix.slice(prefix.lastIndexOf(">") + 1);
    const quotes = prefix.split(">").length - 1;
    return { at: start, run, quotes, indent: width(last), inList: /[^ \t]/.test(last) };
  }

  private close(opening: Opening): number {
    const limit = this.containerEnd(opening);
    this.prefix = "";
    let end = limit;
    for (let run = this.runs[this.next]; run && run[0] < limit; run = this.runs[this.next]) {
      this.next++;
      if (this.closes(opening, run[0], run[1])) {
        this.prefix = opening.run;
        end = run[1];
        break;
      }
    }
    this.blocks.push([opening.at, end]);
    this.resume(end);
    return end;
  }

  private containerEnd({ at, quotes, indent, inList }: Opening): number {
    const line = this.text.indexOf("\n", at) + 1;
    if (!line || !(quotes || inList)) return this.text.length;
    const width = inList ? indent : 0;
    const container = `${quotes} ${width}`;
    let end = this.containers.get(container) ?? 0;
    if (end < line) {
      end = linesInside(this.text, line, quotes, width);
      this.containers.set(container, end);
    }
    return end;
  }

  private closes({ run, quotes, indent }: Opening, start: number, stop: number): boolean {
    if (stop - start < run.length || this.text[start] !== run[0]) return false;
    const newline = this.text.slice(Math.max(0, start - PREFIX_MAX), start).lastIndexOf("\n");
    if (newline < 0) return false;
    const line = Math.max(0, start - PREFIX_MAX) + newline + 1;
    const prefix = prefixInside(quotes).exec(this.text.slice(line, start));
    if (!prefix || width(prefix[1]!) > indent + SLACK) return false;
    ALONE.lastIndex = stop;
    return ALONE.test(this.text);
  }
}

function width(blank: string): number {
  let column = 0;
  for (const character of blank) column += character === "\t" ? 4 - (column % 4) : 1;
  return column;
}

/** Tell a fence from the last line of a highlight that holds one: "```==}". */
function endsMarkup(info: string): boolean {
  const closer = info.search(CLOSER);
  const opener = info.search(OPENER);
  return closer >= 0 && (opener < 0 || closer + 2 < opener);
}

function prefixInside(quotes: number): RegExp {
  return new RegExp(`^(?:[ \\t]{0,3}>[ \\t]?){${quotes}}([ \\t]*)$`);
}

/** Where the lines end that still belong to the block quote and list item of a fence. */
function linesInside(text: string, from: number, quotes: number, indent: number): number {
  const inside = indent ? `(?:[ ]{${indent}}|[ ]{0,3}\\t|[ \\t]*\\r?(?=\\n|(?![\\s\\S]))|[ \\t]*(?:\`\`\`|~~~))` : "";
  const line = new RegExp(`(?:[ \\t]{0,3}>[ \\t]?){${quotes}}${inside}[^\\n]*\\n?`, "y");
  let at = from;
  while (at < text.length) {
    line.lastIndex = at;
    if (!line.test(text)) break;
    at = line.lastIndex;
  }
  return at;
}

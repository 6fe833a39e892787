// The delimiters of CriticMarkup, and which of them belong together.
//
// The same rules as the server's `core/critic/marks.py`, which states them; both run the same cases.
// Reading never fails and takes linear time. Positions count UTF-16 units, as the editor does.

import { Fences } from "./fences.ts";
import { type Metadata, readMetadata } from "./metadata.ts";

export type Sign = "+" | "-" | "~" | ">" | "=";

export interface Mark {
  readonly kind: Sign;
  readonly start: number;
  /** Where the content begins, behind the opening delimiter and metadata. */
  readonly body: number;
  /** Where a replacement is divided; `body` if the text is new, `tail` if it is old. */
  readonly middle: number;
  readonly tail: number;
  readonly end: number;
  readonly meta: Metadata | null;
}

export interface Marked {
  readonly text: string;
  readonly suggested: readonly Mark[];
  readonly comments: readonly Mark[];
  readonly highlights: readonly Mark[];
  readonly fences: readonly (readonly [number, number])[];
  /** Whether a fence could begin anywhere: the text has runs of backticks or tildes. */
  readonly fenced: boolean;
}

export const WIDTH = 3;
export const DIVIDER = "~>";
const OPENERS = new Map<string, Sign>([["{++", "+"], ["{--", "-"], ["{~~", "~"], ["{>>", ">"], ["{==", "="]]);
const CLOSER_OF: Record<Sign, string> = { "+": "++}", "-": "--}", "~": "~~}", ">": "<<}", "=": "==}" };
const CLOSERS = new Set(Object.values(CLOSER_OF));
const OUTSIDE = -1;

interface Token {
  readonly start: number;
  readonly sign: string;
}
interface Edge extends Token {
  readonly side: number;
}

export function opener(kind: Sign): string {
  return `{${kind}${kind}`;
}

export function closer(kind: Sign): string {
  return CLOSER_OF[kind];
}

/** Where the text stands that an accepted suggestion removes. */
export function oldSide(mark: Mark): readonly [number, number] {
  return [mark.body, mark.middle];
}

/** Where the text stands that an accepted suggestion adds. */
export function newSide(mark: Mark): readonly [number, number] {
  return [mark.middle + (mark.kind === "~" ? DIVIDER.length : 0), mark.tail];
}

export function parse(text: string): Marked {
  return new Reader(text).read();
}

function isSuggesting(kind: Sign | undefined): boolean {
  return kind === "+" || kind === "-" || kind === "~";
}

/** All delimiters in order; an opening and a closing one may overlap, one unit apart. */
function tokensOf(text: string): Token[] {
  const found: Token[] = [];
  for (let at = text.indexOf("{"); at >= 0; at = text.indexOf("{", at + 1)) {
    const sign = text.slice(at, at + WIDTH);
    if (OPENERS.has(sign)) found.push({ start: at, sign });
  }
  if (!found.length) return found;
  for (let at = text.indexOf("}"); at >= 0; at = text.indexOf("}", at + 1)) {
    const sign = text.slice(Math.max(0, at - 2), at + 1);
    if (CLOSERS.has(sign)) found.push({ start: at - 2, sign });
  }
  return found.sort((one, other) => one.start - other.start);
}

class Reader {
  private readonly tokens: Token[];
  private readonly fences: Fences;
  private readonly suggested: Mark[] = [];
  private readonly comments: Mark[] = [];
  private readonly edges: Edge[] = [];
  private at = 0;

  constructor(private readonly text: string) {
    this.tokens = tokensOf(text);
    this.fences = new Fences(text);
  }

  read(): Marked {
    const fenced = this.fences.ahead;
    for (let token = this.tokens[this.at]; token; token = this.tokens[this.at]) {
      const end = this.fences.ahead ? this.fences.before(token.start) : 0;
      if (end > token.start) this.skip(end);
      else this.take(token);
    }
    this.fences.before(this.text.length);
    const { text, suggested, comments } = this;
    return { text, suggested, comments, highlights: this.highlights(), fences: this.fences.blocks, fenced };
  }

  private skip(end: number): void {
    while ((this.tokens[this.at]?.start ?? end) < end) this.at++;
  }

  private take({ start, sign }: Token): void {
    const kind = OPENERS.get(sign);
    let mark: Mark | null = null;
    if (kind === ">") mark = this.comment(start);
    else if (kind === "=" || sign === "==}") this.edges.push({ start, sign, side: OUTSIDE });
    else if (kind) mark = this.suggestion(start, kind);
    if (mark && this.fences.ahead) this.fences.leaveOut(start, mark.end);
    this.at++;
  }

  private comment(start: number): Mark | null {
    const close = this.commentClose(this.at);
    if (close < 0) return null;
    this.at = close;
    const mark = this.mark(">", start, this.tokens[close]!.start, []);
    this.comments.push(mark);
    return mark;
  }

  private suggestion(start: number, kind: Sign): Mark | null {
    const close = this.close(this.at, kind);
    if (close < 0) return null;
    const [comments, edges] = this.nested(this.at + 1, close);
    const mark = this.mark(kind, start, this.tokens[close]!.start, comments);
    if (mark.middle < 0) return null;
    const side = 2 * this.suggested.length;
    this.comments.push(...comments);
    for (const edge of edges) this.edges.push({ ...edge, side: side + (edge.start >= mark.middle ? 1 : 0) });
    this.suggested.push(mark);
    this.at = close;
    return mark;
  }

  /** The token that closes a suggestion, or -1 if another one begins before. */
  private close(opening: number, kind: Sign): number {
    const begin = this.tokens[opening]!.start + WIDTH;
    const wanted = CLOSER_OF[kind];
    for (let at = opening + 1; at < this.tokens.length; at++) {
      const { start, sign } = this.tokens[at]!;
      if (sign === wanted && start >= begin) return at;
      const opened = OPENERS.get(sign);
      const next = this.tokens[at + 1];
      if (isSuggesting(opened) && !(next?.start === start + 1 && next.sign === wanted)) return -1;
      if (opened === ">") at = Math.max(at, this.commentClose(at));
    }
    return -1;
  }

  private commentClose(opening: number): number {
    for (let at = opening + 1; at < this.tokens.length; at++) {
      const { sign } = this.tokens[at]!;
      if (sign === "<<}") return at;
      if (sign === "{>>") break;
    }
    return -1;
  }

  private nested(from: number, close: number): [Mark[], Token[]] {
    const comments: Mark[] = [];
    const edges: Token[] = [];
    for (let at = from; at < close; at++) {
      const token = this.tokens[at]!;
      const end = token.sign === "{>>" ? this.commentClose(at) : -1;
      if (end > 0) {
        comments.push(this.mark(">", token.start, this.tokens[end]!.start, []));
        at = end;
      } else if (token.sign === "{==" || token.sign === "==}") edges.push(token);
    }
    return [comments, edges];
  }

  private mark(kind: Sign, start: number, tail: number, comments: Mark[]): Mark {
    const [meta, body] = readMetadata(this.text, start + WIDTH, tail);
    let middle = body;
    if (kind === "-") middle = tail;
    else if (kind === "~") middle = this.divider(body, tail, comments);
    return { kind, start, body, middle, tail, end: tail + WIDTH, meta };
  }

  private divider(body: number, tail: number, comments: Mark[]): number {
    let from = body;
    for (const comment of comments) {
      const found = this.text.indexOf(DIVIDER, from);
      if (found >= 0 && found + DIVIDER.length <= comment.start) return found;
      from = comment.end;
    }
    const found = this.text.slice(from, tail).indexOf(DIVIDER);
    return found < 0 ? -1 : from + found;
  }

  private highlights(): Mark[] {
    const opened = new Map<number, number>();
    const found: Mark[] = [];
    this.edges.forEach(({ start, sign, side }, at) => {
      const begin = opened.get(side);
      const next = this.edges[at + 1];
      if (sign === "{==") {
        const closes = next?.start === start + 1 && next.sign === "==}" && next.side === side;
        if (begin === undefined || !closes) opened.set(side, start);
      } else if (begin !== undefined && start >= begin + WIDTH) {
        found.push(this.mark("=", begin, start, []));
        opened.delete(side);
      }
    });
    return found.sort((one, other) => one.start - other.start);
  }
}

// A long text in pieces of some of its outermost blocks each, so that what is on the screen need not
// wait for what is not. The blocks are found in the whole text, and so are the places that links and
// footnotes name; what stands in the blocks is read a piece at a time. Footnotes are the last piece.
// A long list or table is cut between its items or rows; who shows the pieces joins it again.

import type { Env, StateCore, Token } from "markdown-it";

import { openTags } from "./html.ts";
import type { Markdown } from "./markdown.ts";

/** About as much as fills a screen. */
const PIECE_CHARS = 12_000;

/** What a block costs beside its characters. */
const TOKEN_CHARS = 10;

const CUT_WITHIN = ["bullet_list_open", "ordered_list_open", "table_open", "tbody_open"];
const CUT_AFTER = ["list_item_close", "tr_close"];

export interface Piece {
  readonly html: string;
  /** Whether it begins with more of the list or table that the piece before it ends with. */
  readonly goesOn: boolean;
}

interface Blocks {
  readonly tokens: Token[];
  readonly goesOn: boolean;
}

/** What the rules of one text share, over all of its pieces. */
interface Shared extends Env {
  /** Where the blocks of the whole text go, by pieces. */
  pieces?: Blocks[] | undefined;
  /** The blocks that are read now. */
  piece?: Token[] | undefined;
  footnotes?: unknown;
  held?: unknown;
}

export function pieceRules(markdown: Markdown): void {
  markdown.core.ruler.before("inline", "pieces", (state) => {
    const shared = state.env as Shared;
    if (shared.piece) state.tokens = shared.piece;
    else if (shared.pieces) {
      shared.pieces.push(...cut(state.tokens));
      state.tokens = [];
    }
  });
  // Only the last piece ends with the list of footnotes; the others only count them.
  markdown.core.ruler.before("footnote_tail", "hold_footnotes", ({ env }: StateCore) => {
    const shared = env as Shared;
    if (!shared.pieces?.length) return;
    shared.held = shared.footnotes;
    delete shared.footnotes;
  });
  markdown.core.ruler.after("footnote_tail", "let_footnotes_go", ({ env }: StateCore) => {
    const shared = env as Shared;
    if (!shared.held) return;
    shared.footnotes = shared.held;
    delete shared.held;
  });
}

/** Render a text piece by piece: what comes out, joined, is what it is as a whole. */
export function* htmlPieces(markdown: Markdown, text: string, firstLine: number, breaks: boolean): Generator<Piece, void> {
  const shared: Shared = { firstLine, pieces: [] };
  markdown.parse(text, shared);
  while (shared.pieces?.length) {
    const { tokens, goesOn } = shared.pieces.shift()!;
    shared.piece = tokens;
    // Other texts may have been rendered since the last piece.
    markdown.set({ breaks });
    yield { html: markdown.render("", shared), goesOn };
  }
}

/** Cut between blocks, items and rows, but not within HTML that is open; footnotes go to the end. */
function cut(tokens: Token[]): Blocks[] {
  const pieces: Blocks[] = [];
  const footnotes: Token[] = [];
  const within: Token[] = [];
  let [piece, length, open, inFootnote, goesOn]: [Token[], number, number, boolean, boolean] = [[], 0, 0, false, false];
  tokens.forEach((token, at) => {
    if (token.type === "footnote_reference_open" && token.level === 0) inFootnote = true;
    (inFootnote ? footnotes : piece).push(token);
    if (token.type === "footnote_reference_close" && token.level === 0) inFootnote = false;
    if (token.nesting > 0) within.push(token);
    if (token.nesting < 0) within.pop();
    if (inFootnote) return;
    length += token.content.length + TOKEN_CHARS;
    if (token.type === "html_block" && token.level === 0) open = Math.max(0, open + openTags(token.content));
    if (token.nesting > 0 || length < PIECE_CHARS || open > 0) return;
    if (within.length && !(CUT_AFTER.includes(token.type) && tokens[at + 1]!.nesting > 0 && within.every(({ type }) => CUT_WITHIN.includes(type)))) return;
    pieces.push({ tokens: [...piece, ...within.map(closing).reverse()], goesOn });
    [piece, length, goesOn] = [[...within], 0, within.length > 0];
  });
  return [...pieces, { tokens: [...piece, ...footnotes], goesOn }];
}

const closing = (token: Token): Token => Object.assign(Object.create(Object.getPrototypeOf(token)) as Token, token, { type: token.type.replace("open", "close"), nesting: -1, attrs: null });

// The server's JSON, typed. An endpoint that this server does not have raises `Missing`.

import { shownName } from "./person.ts";
import type { Summary } from "./agent.ts";
import type { Following, SetSummary } from "./sets.ts";

export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}
export class Missing extends Error {}
export class Offline extends Error {}

export interface Answers {
  tree: { version: string; notes: [path: string, modified: number, pending: number][] };
  document: { id: string; path: string; title: string; epoch: number };
  note: { path: string; title: string; text: string; properties: Record<string, unknown> };
  links: {
    backlinks: { path: string; title: string; line: number; context: string }[];
    forward: { path: string; title: string }[];
    unresolved: string[];
  };
  tags: { tags: [tag: string, count: number][] };
  tagged: { notes: { path: string; title: string }[] };
  find: { terms: string[]; hits: { path: string; title: string; score: number; snippet: string; matched: ("text" | "meaning")[]; undecided: boolean }[] };
  names: { names: { path: string; name: string; kind: "alias" | "title" | "heading" }[] };
  graph: { nodes: { id: string; title: string; degree: number }[]; edges: [number, number][]; tags: [tag: string, members: number[]][] };
  suggestions: { total: number; suggestions: Pending[]; cursor: string | number | null };
  "folders/empty": { folders: string[] };
  templates: { templates: string[] };
  agents: { agents: { name: string; installed: boolean }[] };
  "agents/conversations": { conversations: Summary[] };
  approvals: { approvals: Approval[] };
  sets: { sets: SetSummary[] };
  [one: `sets/${number}`]: unknown;
  [one: `sets/${number}/following`]: { following: Following };
  [verdicts: `agents/conversations/${string}/verdicts`]: { text: string };
  remembered: { remembered: Grant[] };
  assistants: { assistants: Assistant[] };
  connect: Connection;
  trash: { trash: { trash: string; path: string; time: number | null; who: string | null }[] };
  history: { revisions: Revised[]; cursor: number | null; latest: number; people: { by: string; kind: Revised["kind"] }[] };
  "history/blame": { runs: [length: number, revision: number][]; authors: Record<string, { by: string; kind: Revised["kind"]; time: string; cause: string; accepted?: string[] }> };
  "history/revision": Revised & { old: string; new: string; seen_old: string; seen_new: string };
  undo: { notes: { path: string; document: string; whole: "" | "trash" | "restore" | "rename"; to: string; passages: { kind: "remove" | "restore" | "unclear"; text: string }[] }[] };
  attachments: { files: { link: string; path: string | null }[] };
  status: { roots: { name: string; path: string }[]; read_only?: boolean; closed?: string[]; building: { read: number; todo: number } | null };
}

export interface Revised {
  revision: number;
  time: string;
  kind: "person" | "assistant" | "program";
  by: string;
  cause: string;
  path: string;
  was: string;
  added: number;
  removed: number;
  changes: [removed: string, added: string][];
  more: number;
}

export const PERHAPS_REJECTED = "perhaps rejected in the file";

export interface Pending {
  id: string;
  path: string;
  kind: "insert" | "delete" | "replace";
  line: number;
  old: string;
  new: string;
  author: string | null;
  time: number | null;
  before: string;
  after: string;
  /** Whether another program saved the note without it, perhaps to reject it. */
  perhaps_rejected: boolean;
}

export interface Approval {
  id: string | number;
  operation: "create" | "update" | "delete" | "rename";
  path: string;
  who: string;
  time: number;
  summary: string;
  diff: string;
  /** All that "always" would allow, in a sentence; empty where it can be allowed once only. */
  always: string;
}

/** What is always allowed. */
export interface Grant {
  key: string;
  operation: Approval["operation"];
  who: string;
  time: number;
  meaning: string;
}

/** How programs reach this vault; `line` connects one by itself, on the machine of the notes. */
export interface Connection {
  address: string;
  line: string;
  clients: Client[];
}

/** A program to connect: what to paste, and where. */
export interface Client {
  id: string;
  label: string;
  how: string;
  text: string;
}

export interface Assistant {
  name: string;
  connected: boolean;
  last: { tool: string; path: string; time: number } | null;
}

export interface Decided {
  decided: { path: string; id: string }[];
  conflicts: { path: string; id: string; why: string }[];
  undo: string;
}

let failed = () => {};

/** Call this whenever a question gets no answer, or a fault of the server's. */
export function onFailure(listener: () => void): void {
  failed = listener;
}

type Parameters = Record<string, string | number | undefined>;

export async function get<Name extends keyof Answers>(name: Name, given: Parameters = {}): Promise<Answers[Name]> {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(given)) {
    if (value !== undefined && value !== "") query.set(key, String(value));
  }
  const asked = query.size ? `?${query}` : "";
  if (MAY_BE_CLOSED.has(name) && (await status())?.closed?.includes(name)) throw new Missing(name);
  try {
    return (await ask(`api/${name}${asked}`, {})) as Answers[Name];
  } catch (error) {
    if (error instanceof Offline || (error instanceof ApiError && error.status >= 500)) {
      failed();
    }
    throw error;
  }
}

/** What not every access token opens: the status tells, before it is asked for. */
const MAY_BE_CLOSED = new Set("approvals remembered assistants connect folders/empty history sets trash".split(" "));
let told: Promise<Answers["status"] | null> | undefined;

/** How the server is, as it was when the page began. */
export const status = () => (told ??= maybe(get("status")));

/** Everything that is written says by whom. */
export async function post<Answer>(name: string, wish: object): Promise<Answer> {
  const body = { who: shownName(), ...wish };
  const headers = { "content-type": "application/json", "x-commonplace": "1" };
  return (await ask(`api/${name}`, { method: "POST", headers, body: JSON.stringify(body) })) as Answer;
}

/** Send a file for a note. */
export async function upload(note: string, name: string, file: Blob): Promise<{ path: string; link: string }> {
  const query = new URLSearchParams({ note, name, who: shownName() });
  const headers = { "content-type": file.type || "application/octet-stream", "x-commonplace": "1" };
  return (await ask(`api/attachments?${query}`, { method: "POST", headers, body: file })) as { path: string; link: string };
}

async function ask(path: string, options: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, { ...options, credentials: "same-origin" });
  } catch {
    throw new Offline("The server cannot be reached. Is commonplace serve still running?");
  }
  if (response.status === 401) return signIn();
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body;
  const error = (body as { error?: { code: string; message: string } } | null)?.error;
  if (!error && (response.status === 404 || response.status === 405)) throw new Missing(path);
  throw new ApiError(response.status, error?.code ?? "", error?.message ?? `The server answered ${response.status}.`);
}

/** Never answers: the page begins anew once somebody has signed in. */
async function signIn(): Promise<never> {
  (await import("./signin.ts")).askForToken();
  return new Promise(() => {});
}

/** The answer, or null where the server has none (an older one, or one that is just starting). */
export async function maybe<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Missing || error instanceof ApiError || error instanceof Offline) return null;
    throw error;
  }
}

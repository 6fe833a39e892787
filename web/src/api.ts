// The server's JSON, typed. An endpoint that this server does not have raises `Missing`.

import { shownName } from "./person.ts";

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
  search: { hits: { path: string; title: string; score: number; snippet: string }[] };
  graph: { nodes: { id: string; title: string; degree: number }[]; edges: [number, number][] };
  suggestions: { total: number; suggestions: Pending[]; cursor: string | number | null };
  templates: { templates: string[] };
  approvals: { approvals: Approval[] };
  assistants: { assistants: Assistant[] };
  connect: Record<"claude" | "desktop" | "cursor" | "vscode", string>;
  status: { roots: { name: string; path: string }[]; read_only?: boolean; building: { read: number; todo: number } | null };
}

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
  /** How many suggestions of the note have the same texts, itself included. */
}

export interface Approval {
  id: string | number;
  operation: "create" | "update" | "delete" | "rename";
  path: string;
  who: string;
  time: number;
  summary: string;
  diff: string;
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

type Parameters = Record<string, string | number | undefined>;

export async function get<Name extends keyof Answers>(name: Name, given: Parameters = {}): Promise<Answers[Name]> {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(given)) {
    if (value !== undefined && value !== "") query.set(key, String(value));
  }
  const asked = query.size ? `?${query}` : "";
  return (await ask(`api/${name}${asked}`, {})) as Answers[Name];
}

/** Everything that is written says by whom. */
export async function post<Answer>(name: string, wish: object): Promise<Answer> {
  const body = { who: shownName(), ...wish };
  const headers = { "content-type": "application/json", "x-commonplace": "1" };
  return (await ask(`api/${name}`, { method: "POST", headers, body: JSON.stringify(body) })) as Answer;
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

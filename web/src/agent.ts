// Conversations with agents: what is said, as it comes, for the panel beside a note.

import { signal } from "@preact/signals";

import { get, maybe, post } from "./api.ts";
import { complain } from "./store.ts";

export type Choice = "once" | "conversation" | "no";

export interface Entry {
  readonly n: number;
  readonly kind: "asked" | "said" | "thought" | "plan" | "step" | "question" | "refused" | "failed" | "trouble" | "done";
  readonly text?: string;
  readonly title?: string;
  readonly id?: string;
  readonly tool?: string;
  readonly status?: "pending" | "in_progress" | "completed" | "failed" | "stopped";
  readonly given?: string;
  readonly path?: string;
  readonly paths?: readonly string[];
  readonly notes?: readonly string[];
  readonly selection?: string;
  readonly image?: boolean;
  readonly runs?: boolean;
  readonly answer?: Choice | null;
  readonly entries?: readonly { readonly text: string; readonly status: string }[];
  /** Where it is at work; `note` is empty outside of the notes. */
  readonly places?: readonly { readonly path: string; readonly note?: string; readonly line?: number | null }[];
  readonly diffs?: readonly { readonly path: string; readonly old: string; readonly new: string }[];
  readonly reason?: string;
  readonly set?: number | null;
}

export interface Summary {
  readonly id: string;
  readonly agent: string;
  readonly title: string;
  readonly changed: number;
  readonly state: "resting" | "starting" | "working" | "failed";
  readonly sets: readonly number[];
}

export interface Conversation extends Summary {
  readonly entries: readonly Entry[];
  readonly modes: { readonly current?: string; readonly offered?: readonly { readonly id: string; readonly name: string }[] };
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly sign_in: readonly string[];
  /** Whether it takes pictures; null until its agent has run. */
  readonly pictures: boolean | null;
}

/** What a person means by "this". */
export interface Context {
  readonly notes: readonly string[];
  readonly selection: string;
  readonly selected_in: string;
  readonly image?: string;
  readonly image_type?: string;
}

interface News {
  readonly conversation?: Conversation;
  readonly entry?: Entry;
  readonly n?: number;
  readonly more?: string;
  readonly state?: Summary["state"];
  readonly about?: Pick<Conversation, "modes" | "commands" | "sign_in" | "pictures">;
}

/** The agents of this machine; null where none may be used from here. */
export const agents = signal<readonly { readonly name: string; readonly installed: boolean }[] | null>(null);
export const conversations = signal<readonly Summary[]>([]);
export const talk = signal<Conversation | null>(null);

let source: EventSource | null = null;

export async function load(words = ""): Promise<void> {
  agents.value = (await maybe(get("agents")))?.agents ?? null;
  if (agents.value) conversations.value = (await maybe(get("agents/conversations", { q: words })))?.conversations ?? [];
}

export function show(id: string): void {
  leave();
  source = new EventSource(`api/agents/conversations/${id}/events`);
  source.addEventListener("message", (event) => hear(JSON.parse(event.data as string) as News));
}

export const hrefOfTalk = (id: string) => `#agent!${id}`;

export function leave(): void {
  source?.close();
  source = null;
  talk.value = null;
}

/** Ask in the open conversation, or begin one with this agent. */
export async function ask(agent: string, text: string, context: Context, folders: readonly string[] = []): Promise<boolean> {
  try {
    let id = talk.peek()?.id;
    if (!id) {
      id = (await post<Conversation>("agents/begin", { agent, folders })).id;
      show(id);
    }
    await post(`agents/conversations/${id}/prompt`, { text, ...context });
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

/** Send what people made of a change set back to its agent, as the next prompt. */
export async function sendVerdicts(id: string, set: number): Promise<boolean> {
  try {
    const { text } = await get(`agents/conversations/${id}/verdicts`, { set });
    await post(`agents/conversations/${id}/prompt`, { text });
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

export async function act(what: "stop" | "delete" | "answer" | "mode", wish: object = {}): Promise<void> {
  const id = talk.peek()?.id;
  if (!id) return;
  try {
    await post(`agents/conversations/${id}/${what}`, wish);
    if (what === "delete") leave();
  } catch (error) {
    complain(error);
  }
}

function hear(news: News): void {
  if (news.conversation) talk.value = news.conversation;
  const now = talk.peek();
  if (!now || news.conversation) return;
  if (news.state) talk.value = { ...now, state: news.state };
  else if (news.about) talk.value = { ...now, ...news.about };
  else if (news.entry) talk.value = { ...now, entries: placed(now.entries, news.entry) };
  else if (news.more !== undefined) {
    const entries = now.entries.map((one) => (one.n === news.n ? { ...one, text: (one.text ?? "") + news.more } : one));
    talk.value = { ...now, entries };
  }
}

function placed(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const at = entries.findIndex((one) => one.n === entry.n);
  return at < 0 ? [...entries, entry] : entries.with(at, entry);
}

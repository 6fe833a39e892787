// What was said in a conversation with an agent, what it did, what it asks, and what became of it.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { act, type Choice, type Conversation, type Entry, sendVerdicts } from "../agent.ts";
import { hrefOfSet, type SetSummary } from "../sets.ts";
import { hrefOf, resolver } from "../store.ts";
import { visible } from "../text/invisible.ts";
import { Diff } from "./diff.tsx";
import { outcome, useSets } from "./sets.tsx";

const ENDS: Record<string, string> = { cancelled: "Stopped.", stopped: "Stopped.", failed: "It failed. Ask again to start it anew.", refusal: "It declined.", max_tokens: "It reached its limit.", max_turn_requests: "It reached its limit." };

const STATES: Record<string, string> = { completed: "done", failed: "failed", stopped: "stopped" };

const PLANNED: Record<string, string> = { completed: "done", in_progress: "at work" };

/** What stands out in what an agent says: code, strong words, headings, links to notes. */
const STANDS_OUT = /(^```[^\n]*\n[\s\S]*?(?:^```$|(?![\s\S]))|`[^`\n]+`|\*\*[^*\n]+\*\*|^#{1,6} [^\n]+|\[\[[^[\]\n]+\]\])/m;

export function Log({ talk }: { talk: Conversation }) {
  const { entries } = talk;
  const lastSet = entries.findLast(({ set }) => set)?.set;
  const set = useSets().found.value?.find(({ number }) => number === lastSet);
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef("");
  const asks = entries.findLast(({ kind, answer }) => kind === "question" && answer === null)?.id ?? "";
  useEffect(() => {
    // The end is shown when one comes, when it asks something, and as long as one reads there.
    const log = box.current;
    if (!log) return;
    const place = `${talk.id} ${asks}`;
    if (shown.current !== place || log.scrollHeight - log.scrollTop - log.clientHeight < 200) log.scrollTop = log.scrollHeight;
    shown.current = place;
  }, [entries, set]);
  return <div class="agent-log" ref={box} role="log" aria-label="Conversation" tabIndex={0}>
    {entries.map((entry) => <One key={entry.n} entry={entry} />)}
    {set && <Verdicts talk={talk} set={set} />}
  </div>;
}

function One({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case "asked": return <p class="asked">{entry.text}{entry.image && <span class="muted small"> (with a picture)</span>}</p>;
    case "said": return <p class="said"><Words text={seen(entry.text)} /></p>;
    case "thought": return <details class="thought"><summary>Thoughts</summary>{seen(entry.text)}</details>;
    case "plan": return <ul class="plan" aria-label="Plan">{entry.entries?.map((one, at) => <li key={at} class={one.status}>{seen(one.text)}{PLANNED[one.status] && <span class="hidden"> ({PLANNED[one.status]})</span>}</li>)}</ul>;
    case "step": return <Step entry={entry} />;
    case "question": return <Question entry={entry} />;
    case "refused": return <p class="muted small">Refused, since it could not be shown whole: {entry.title}</p>;
    case "failed": return <p class="failed" role="alert">{seen(entry.text)}</p>;
    case "trouble": return <p class="trouble">{entry.path} was not taken: {seen(entry.text)}</p>;
    default: return (
      <p class="muted small">{ENDS[entry.reason ?? ""] ?? ""} {entry.set ? <a class="link" href={hrefOfSet(entry.set)}>Review change set {entry.set}</a> : entry.reason === "end_turn" && "Done. It changed no note."}</p>
    );
  }
}

/** An agent's words, with the little of Markdown that agents write in a sentence. */
function Words({ text }: { text: string }) {
  return <>{text.split(STANDS_OUT).map((part, at) => {
    if (at % 2 === 0) return part;
    if (part.startsWith("```")) return <code key={at} class="block">{part.replace(/^```[^\n]*\n|\n?```$/g, "")}</code>;
    if (part.startsWith("`")) return <code key={at}>{part.slice(1, -1)}</code>;
    if (part.startsWith("**")) return <strong key={at}>{part.slice(2, -2)}</strong>;
    if (part.startsWith("#")) return <strong key={at}>{part.replace(/^#+ /, "")}</strong>;
    const [name = "", alias] = part.slice(2, -2).split("|");
    const path = resolver.value.resolve(name.split("#")[0]!.trim(), "");
    return path ? <a key={at} class="link" href={hrefOf(path)}>{alias ?? name}</a> : part;
  })}</>;
}

function Step({ entry }: { entry: Entry }) {
  const state = STATES[entry.status ?? ""] ?? "at work";
  return (
    <details class="step"><summary>{seen(entry.title) || entry.tool} <span class="muted">({state})</span></summary>
      {entry.places?.map(({ path, note, line }, at) => <div key={at}>{note ? <a class="link" href={hrefOf(note)}>{seen(note)}</a> : seen(path)}{line ? `, line ${line}` : ""}</div>)}
      {entry.diffs?.map((one, at) => <div key={at}>{seen(one.path)} <Diff old={one.old} added={one.new} near /></div>)}
      {entry.given && <pre>{seen(entry.given)}</pre>}
      {entry.text && <pre>{seen(entry.text)}</pre>}
    </details>
  );
}

function Question({ entry }: { entry: Entry }) {
  const answer = (choice: Choice) => void act("answer", { question: entry.id, choice });
  return (
    <div class={entry.answer === null ? "question" : "question answered"} role="group" aria-label="The agent asks">
      <strong>{entry.runs ? "It wants to run this as you:" : "It asks for permission:"}</strong> {!entry.runs && entry.title}
      <pre tabIndex={0}>{entry.given || entry.title}</pre>
      {entry.diffs?.map((one, at) => <div key={at}>{one.path} <Diff old={one.old} added={one.new} /></div>)}
      {entry.answer === null
        ? <div class="acts">
          <button type="button" class="small accept" onClick={() => answer("once")}>Allow once</button>
          <button type="button" class="small" onClick={() => answer("conversation")}>Allow exactly this in this conversation</button>
          <button type="button" class="small reject" onClick={() => answer("no")}>No</button>
        </div>
        : <p class="muted small">{entry.answer === "no" ? "Not allowed." : "Allowed."}</p>}
    </div>
  );
}

/** What people made of the latest change set, and the way to tell the agent. */
function Verdicts({ talk, set }: { talk: Conversation; set: SetSummary }) {
  const sent = useSignal(false);
  if (!(set.accepted + set.modified + set.rejected || set.sent_back)) return null;
  const idle = talk.state === "resting" || talk.state === "failed";
  return (
    <p class="muted small">Change set {set.number}: {outcome(set)}{set.waiting > 0 && `, ${set.waiting} waiting`}. {idle && !sent.value && <button type="button" class="small" onClick={() => { sent.value = true; void sendVerdicts(talk.id, set.number).then((done) => (sent.value = done)); }}>Tell {talk.agent}</button>}</p>
  );
}

const seen = (text = "") => visible(text);

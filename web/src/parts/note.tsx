// An open note: its head, its text, its preview, and the panel beside it.

import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { effect, type Signal, signal, useSignal, useSignalEffect } from "@preact/signals";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { ApiError, get } from "../api.ts";
import { noteActions } from "../commands.ts";
import { idOf, joined, type Suggestion } from "../critic/index.ts";
import { type Credit, credited, loadCredits } from "../editor/credits.ts";
import { switchProperties, writeAt } from "../editor/frontmatter.ts";
import { type Mode, openEditor, setMode } from "../editor/editor.ts";
import { reading } from "../editor/marks.ts";
import { present, type Present } from "../editor/presence.ts";
import { decideHere, goTo, goToNeighbour } from "../editor/suggestions.ts";
import { type Linking, relink } from "../editor/wikilinks.ts";
import { filesArrived, returned, reviewed, touched } from "../events.ts";
import { followLink } from "../link.ts";
import { Session } from "../live/session.ts";
import { personName } from "../person.ts";
import { decide, type Decision } from "../review.ts";
import { byPath, followMove, panelOpen, readOnly, remember, resolver, tell, wantedText } from "../store.ts";
import { fileKind } from "../text/files.ts";
import { nameOf, targetOf } from "../text/paths.ts";
import { lineAt, markedPlaceOf, placeIn, type Range, readPlace } from "../text/places.ts";
import { NoteHead } from "./head.tsx";
import { lazy } from "./lazy.tsx";
import type { Wanted } from "./preview.tsx";
import { reveal } from "./tree.tsx";

export const Preview = lazy(() => import("./preview.tsx").then((module) => module.Preview), null);
const Panel = lazy(() => import("./panel.tsx").then((module) => module.Panel), <aside class="panel" aria-label="About this note" />);
const Properties = lazy(() => import("./properties.tsx").then((module) => module.Properties), null);
const MissingNote = lazy(() => import("./missing.tsx").then((module) => module.MissingNote), null);

const SETTLE_MS = 120;
const SAVING_MS_MAX = 3000;

export interface Shown {
  readonly session: Session;
  readonly view: EditorView;
}

const mode = signal<Mode>("write");
const beside = signal(false);

export function Note({ path, heading }: { path: string; heading: string }) {
  const shown = useSignal<Shown | null>(null);
  const failure = useSignal("");
  const missing = useSignal(false);
  const wanted = useSignal<Wanted>(null);
  const turn = useSignal(0);
  const version = useSignal(0);
  const people = useSignal<readonly Present[]>([]);
  const host = useRef<HTMLDivElement>(null);
  // the same note all the time, under whatever name
  const here = useRef({ path }).current;
  here.path = path;

  useEffect(() => {
    let over = false;
    const closing: (() => void)[] = [];
    const close = () => closing.splice(0).reverse().forEach((each) => each());
    failure.value = "";
    missing.value = false;
    const begun = begin(here, host, () => (turn.value += 1), version, people, closing).then(
      (made) => !over && (shown.value = made),
      (error: unknown) => {
        if (over) return;
        missing.value = error instanceof ApiError && error.status === 404;
        failure.value = error instanceof Error ? error.message : "The note could not be opened.";
      },
    );
    void begun.then(() => over && close());
    return () => {
      over = true;
      shown.value = null;
      noteActions.value = null;
      close();
    };
  }, [turn.value]);
  useEffect(() => {
    remember(path);
    reveal(path);
    if (shown.value) shown.value.session.about = { ...shown.value.session.about, path };
  }, [path]);
  // What could not be opened is tried again when the server is back, or when the note is there.
  useSignalEffect(() => {
    const there = byPath.value.has(here.path);
    if (returned.value + Number(there) && failure.peek() && (there || !missing.peek())) turn.value = turn.peek() + 1;
  });
  useSignalEffect(() => {
    if (filesArrived.value) version.value = version.peek() + 1;
  });
  const goToPlace = (view: EditorView, wish: string | Range) => {
    const { marked, pending } = view.state.field(reading);
    const place = typeof wish === "string" ? markedPlaceOf(marked, pending, wish) ?? wish : wish;
    const found = typeof place === "string" ? placeIn(marked.text, place) : place;
    if (mode.peek() !== "read" && found) {
      goTo(view, found.from);
      if (found.to > found.from) view.dispatch({ selection: { anchor: found.from, head: found.to } });
    }
    if (mode.peek() !== "read" && !beside.peek()) return;
    const read = joined(marked, "new");
    const there = typeof place === "string" ? placeIn(read, place)?.from : readPlace(marked, place.from);
    if (there !== undefined) wanted.value = { line: lineAt(read, there + 1) };
  };
  useEffect(() => {
    if (shown.value && heading) goToPlace(shown.value.view, heading);
  }, [heading, shown.value]);
  useSignalEffect(() => {
    const now = shown.value;
    if (!now || wantedText.value?.path !== here.path) return;
    const { at } = wantedText.value;
    // After a dialog that is closing has given the focus back.
    setTimeout(() => {
      wantedText.value = null;
      if (mode.peek() !== "read") writeAt(now.view, at);
    });
  });
  useSignalEffect(() => {
    if (!shown.value) return;
    void personName.value;
    shown.value.session.introduce();
  });
  useSignalEffect(() => {
    if (shown.value) setMode(shown.value.view, readOnly.value ? "read" : mode.value);
  });
  const view = shown.value?.view;
  const reads = mode.value === "read";
  return (
    <div class={`note${panelOpen.value ? " with-panel" : ""}`}>
      <main class="note-main">
        <NoteHead view={view ?? null} path={path} session={shown.value?.session ?? null} people={people.value} mode={mode.value} beside={beside} setMode={(next) => (mode.value = next)} />
        {missing.value ? <MissingNote path={path} /> : failure.value && <div class="notice" role="alert">{failure.value}</div>}
        <div class={`sheets${beside.value && !reads ? " beside" : ""}`}>
          <div class="sheet" hidden={reads}>
            <div class="editor" ref={host} />
          </div>
          {view && (reads || beside.value) && <Preview view={view} path={path} version={version.value} follow={followLink} wanted={wanted} beside={!reads} />}
        </div>
      </main>
      {view && panelOpen.value && <Panel key={path} view={view} path={path} version={version.value} goTo={(place) => goToPlace(view, { from: place, to: place })} />}
    </div>
  );
}

type Host = { readonly current: HTMLDivElement | null };
/** Where a note is now: others may give it another name while it is open. */
type Here = { readonly path: string };

async function begin(here: Here, host: Host, again: () => void, version: Signal<number>, people: Signal<readonly Present[]>, closing: (() => void)[]): Promise<Shown> {
  const about = await get("document", { path: here.path });
  const session = new Session(about, again, () => tell("The server began this note anew. What you had written was put back in."), followMove);
  closing.push(() => session.close());
  await loaded(session);
  // The form must be there with the text, or the text would jump when it comes.
  if (session.text.toString().startsWith("---")) await Properties.fetched().catch(() => undefined);
  if (!host.current) throw new Error("The note was left before it was open.");
  const decideOn = (decision: Decision, one: Suggestion, state: EditorState) => void decideSaved(session, here.path, decision, one, state);
  const credits = new Map<string, Credit>();
  let timer = 0;
  const view = openEditor(host.current, {
    session,
    title: about.title,
    linking: linkingFrom(here),
    decide: decideOn,
    credits,
    refused: (why) => tell(why),
    showForm: (place, editor) => {
      const stop = effect(() => render(<Properties view={editor} locked={readOnly.value} version={version.value} />, place));
      place.addEventListener("leave", () => { stop(); render(null, place); });
    },
    onState: () => (timer ||= window.setTimeout(() => { timer = 0; version.value++; }, SETTLE_MS)),
  });
  session.snapshot = () => view.state.doc;
  const onPeople = () => (people.value = present(session.awareness));
  session.awareness.on("change", onPeople);
  onPeople();
  noteActions.value = {
    canType: () => mode.peek() !== "read" && !readOnly.peek(),
    setMode: (next) => { mode.value = next; if (next !== "read") view.focus(); },
    beside: () => (beside.value = !beside.value),
    properties: () => switchProperties(view),
    authors: () => void import("../editor/extras.ts").then(({ switchAuthors }) => switchAuthors(view)),
    comment: () => void import("../editor/extras.ts").then(({ commentOn }) => commentOn(view, here.path)),
    next: () => void goToNeighbour(view, 1),
    previous: () => void goToNeighbour(view, -1),
    accept: () => void decideHere(view, "accept", decideOn),
    reject: () => void decideHere(view, "reject", decideOn),
    acceptAll: () => void decide("accept", { path: here.path }),
    rejectAll: () => void decide("reject", { path: here.path }),
  };
  const credit = async () => {
    if (!(await loadCredits(here.path, view.state, credits)) || !view.dom.isConnected) return;
    view.dispatch({ effects: credited.of(null) });
    version.value++;
  };
  void credit();
  closing.push(reviewed.subscribe(() => touched.peek().includes(here.path) && void credit()));
  void import("../dropping.ts").then(({ takeFiles }) => view.dom.isConnected && closing.push(takeFiles(view, here)));
  const stop = resolver.subscribe(() => queueMicrotask(() => view.dom.isConnected && view.dispatch({ effects: relink.of(null) })));
  closing.push(() => {
    stop();
    clearTimeout(timer);
    session.awareness.off("change", onPeople);
    view.destroy();
  });
  return { session, view };
}

function loaded(session: Session): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = session.connection.subscribe((state) => {
      if (state === "live") resolve();
      else if (state === "gone" || state === "refused") reject(new ApiError(404, "", session.reason.peek() || "This note is gone."));
      else return;
      queueMicrotask(() => stop());
    });
  });
}

/** The server decides on what it has: wait until it has everything. */
async function decideSaved(session: Session, path: string, decision: Decision, one: Suggestion, state: EditorState): Promise<void> {
  const { marked, pending } = state.field(reading);
  const chosen = { path, id: idOf(marked, pending, one) };
  const until = Date.now() + SAVING_MS_MAX;
  while (!session.saved.value && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 30));
  await decide(decision, { suggestions: [chosen] });
}

function linkingFrom(here: Here): Linking {
  return {
    resolve: (link) => {
      const { note } = targetOf(link);
      return resolver.peek().resolve(note, here.path) ?? (fileKind(note) ? note : null);
    },
    follow: (link) => followLink(link, here.path),
    shortest: (wanted) => {
      const name = nameOf(wanted);
      return resolver.peek().resolve(name, here.path) === wanted ? name : wanted.replace(/\.md$/i, "");
    },
  };
}

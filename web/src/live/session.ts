// One open note: its Yjs document, its connection, and whether the server has saved everything.
//
// "Saved" is asked, not guessed: after each edit we send a message of type 102 with a number, and
// the server sends it back once everything before it is committed. Work that is not saved yet is
// kept in the browser, so it survives a closed tab as well as a server that is away.
//
// A document has an epoch. If the server comes back with another one, its history has begun anew
// and ours must not be merged into it, or every word would be there twice: `onEpoch` is told, and
// the page opens the note afresh. What was not saved is then put into the new text, word by word.

import { signal } from "@preact/signals";
import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";

import { type Answers, ApiError, get } from "../api.ts";
import { colourOf, SHADES, shownName } from "../person.ts";
import { HERE } from "../place.ts";
import { forgetDraft, keepDraft, takeDraft, type Texts, type Unsaved } from "./drafts.ts";

export type Connection = "connecting" | "live" | "offline" | "gone" | "refused";

const SAVED = 102;
const ASK_MS = 60;
const DRAFT_MS = 400;
const RETRY_MS = [200, 500, 1000, 2000, 4000];

export class Session {
  readonly doc = new Y.Doc();
  readonly text = this.doc.getText("contents");
  readonly connection = signal<Connection>("connecting");
  readonly saved = signal(true);
  /** Whether the server's text has arrived at least once. */
  readonly loaded = signal(false);
  readonly reason = signal("");
  readonly provider: WebsocketProvider;
  /** The text as it is now; the editor has it at no cost. */
  snapshot: () => { toString(): string } = () => this.text.toString();

  private edits = 0;
  private acknowledged = 0;
  private savedVector: Uint8Array | null = null;
  /** The last text that was here and on the server alike. */
  private base: { toString(): string } | null = null;
  private left: Unsaved | null = null;
  private askTimer = 0;
  private draftTimer = 0;
  private retryTimer = 0;
  private retries = 0;
  private closed = false;

  constructor(
    public about: Answers["document"],
    private readonly onEpoch: () => void,
    private readonly onRestored: () => void,
    private readonly onMoved: (from: string, to: string) => void,
  ) {
    const draft = takeDraft(about);
    this.provider = new WebsocketProvider(socketAddress(), about.id, this.doc, { connect: false, disableBc: true });
    this.provider.messageHandlers[SAVED] = (_encoder, decoder) => this.heard(decoder);
    this.provider.on("status", ({ status }) => this.onStatus(status));
    this.provider.on("sync", (synced: boolean) => synced && this.onSynced());
    this.provider.on("connection-close", (event) => this.onClose(event));
    this.doc.on("update", (_update: Uint8Array, origin: unknown) => this.onUpdate(origin));
    this.introduce();
    if (draft?.update) this.takeUp(draft.update, draft.texts);
    else if (draft?.texts) this.left = draft;
    this.provider.connect();
    addEventListener("pagehide", this.keep);
  }

  get awareness() {
    return this.provider.awareness;
  }

  introduce(): void {
    const name = shownName();
    const color = SHADES[colourOf(name)];
    this.awareness.setLocalStateField("user", { name, color, colorLight: `${color}33`, kind: "person" });
  }

  close(): void {
    this.closed = true;
    for (const timer of [this.askTimer, this.draftTimer, this.retryTimer]) clearTimeout(timer);
    removeEventListener("pagehide", this.keep);
    this.keep();
    this.provider.destroy();
    this.doc.destroy();
  }

  /** Go on with what was not saved last time; it may only fit once the server's text has come. */
  private takeUp(draft: Uint8Array, texts: Texts | null): void {
    this.base = texts?.base ?? null;
    Y.applyUpdate(this.doc, draft, "draft");
    this.edits++;
    this.saved.value = false;
  }

  private onUpdate(origin: unknown): void {
    if (origin === this.provider) {
      if (this.saved.value) this.base = this.snapshot();
      return;
    }
    this.edits++;
    this.saved.value = false;
    this.askTimer ||= window.setTimeout(() => this.ask(), ASK_MS);
    this.draftTimer ||= window.setTimeout(this.keep, DRAFT_MS);
  }

  private ask(): void {
    this.askTimer = 0;
    if (this.provider.ws?.readyState !== WebSocket.OPEN || !this.provider.synced) return;
    const payload = encoding.createEncoder();
    encoding.writeVarUint(payload, this.edits);
    const frame = encoding.createEncoder();
    encoding.writeVarUint(frame, SAVED);
    encoding.writeVarUint8Array(frame, encoding.toUint8Array(payload));
    this.provider.ws.send(encoding.toUint8Array(frame));
  }

  private heard(decoder: decoding.Decoder): void {
    const payload = decoding.createDecoder(decoding.readVarUint8Array(decoder));
    this.acknowledged = Math.max(this.acknowledged, decoding.readVarUint(payload));
    if (this.acknowledged < this.edits) return;
    this.saved.value = true;
    this.savedVector = Y.encodeStateVector(this.doc);
    this.base = this.snapshot();
    clearTimeout(this.draftTimer);
    this.draftTimer = 0;
    forgetDraft(this.about.id);
  }

  private readonly keep = (): void => {
    this.draftTimer = 0;
    if (this.saved.value || !this.loaded.value) return;
    const update = Y.encodeStateAsUpdate(this.doc, this.savedVector ?? undefined);
    const texts = this.base === null ? null : { base: this.base.toString(), mine: this.snapshot().toString() };
    keepDraft(this.about, update, texts);
  };

  private onStatus(status: string): void {
    if (status === "connected") this.retries = 0;
    else if (status === "disconnected" && this.connection.value === "live") this.connection.value = "offline";
  }

  private onSynced(): void {
    if (this.saved.value) {
      this.savedVector = Y.encodeStateVector(this.doc);
      this.base = this.snapshot();
    } else this.ask();
    if (this.left) void this.putBack(this.left);
    else this.begin();
  }

  private begin(): void {
    this.connection.value = "live";
    this.loaded.value = true;
  }

  /** Write what was not saved into a text whose history began without it. */
  private async putBack({ id, texts }: Unsaved): Promise<void> {
    const { rebased } = await import("./rebase.ts");
    if (this.closed || !texts) return;
    this.left = null;
    const edits = rebased(texts.base, texts.mine, this.text.toString());
    this.doc.transact(() => {
      for (const { from, to, insert } of edits.reverse()) {
        if (to > from) this.text.delete(from, to - from);
        if (insert) this.text.insert(from, insert);
      }
    }, "draft");
    this.begin();
    this.keep();
    if (id !== this.about.id) forgetDraft(id);
    if (edits.length) this.onRestored();
  }

  private onClose(event: CloseEvent | null): void {
    if (this.closed) return;
    // We decide ourselves when to come back: the document's epoch has to be looked at first.
    this.provider.shouldConnect = false;
    const code = event?.code ?? 0;
    if (code >= 4400 && code < 4500) {
      this.connection.value = code === 4404 ? "gone" : "refused";
      this.reason.value = event?.reason ?? "";
      if (code === 4409) this.onEpoch();
      return;
    }
    this.connection.value = "offline";
    this.retryTimer ||= window.setTimeout(() => void this.comeBack(), RETRY_MS[Math.min(this.retries++, RETRY_MS.length - 1)]);
  }

  private async comeBack(): Promise<void> {
    this.retryTimer = 0;
    try {
      const { id, path, epoch } = this.about;
      const now = (await unlessGone(get("document", { id }))) ?? (await get("document", { path }));
      if (this.closed) return;
      if (now.path !== path) this.onMoved(path, now.path);
      if (now.id !== id || now.epoch !== epoch) this.onEpoch();
      else this.provider.connect();
    } catch (error) {
      if (this.closed) return;
      if (error instanceof ApiError && error.status === 404) this.connection.value = "gone";
      else this.onClose(null);
    }
  }
}

async function unlessGone<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

function socketAddress(): string {
  const { protocol, host } = location;
  return `${protocol === "https:" ? "wss" : "ws"}://${host}${HERE}/sync`;
}

// New files of a vault, and how they get there.
//
// A file that is pasted or dropped is sent to the server, which says what to call it. While the
// server is away the file is kept in the browser, under a name that nobody else has, and sent when
// it is back; the link is in the text meanwhile.

import { ApiError, Offline, upload } from "./api.ts";
import { filesArrived } from "./events.ts";
import { HERE } from "./place.ts";
import { complain } from "./store.ts";

const BYTES_MAX = 25_000_000;
const DATABASE = `commonplace${HERE}`;
const STORE = "uploads";
const AGAIN_MS = 2000;

interface Waiting {
  readonly note: string;
  readonly name: string;
  readonly file: Blob;
}

/** Save a file for a note; returns how to link to it. */
export async function saveFile(note: string, file: File): Promise<string> {
  if (file.size > BYTES_MAX) throw new ApiError(413, "", `${file.name || "The file"} has ${(file.size / 1e6).toFixed(1)} MB; at most ${BYTES_MAX / 1e6} MB can be added here.`);
  try {
    return (await upload(note, file.name, file)).link;
  } catch (error) {
    if (!(error instanceof Offline)) throw error;
    const name = nameLater(file, new Date());
    await keep({ note, name, file });
    again();
    return name;
  }
}

/** A name that is certainly free: it carries the moment. */
export function nameLater(file: { readonly name: string; readonly type: string }, now: Date): string {
  const moment = now.toISOString().replace(/[-:TZ]/g, "").replace(".", " ");
  const dot = file.name.lastIndexOf(".");
  const ending = dot > 0 ? file.name.slice(dot) : `.${/^image\/(png|jpeg|gif|webp)$/.exec(file.type)?.[1] ?? "bin"}`;
  const stem = dot > 0 && !/^image\.\w+$/i.test(file.name) ? file.name.slice(0, dot).replace(/[\\/<>:"|?*#^[\]]/g, "-").replace(/^[. ]+/, "") : "Pasted image";
  return `${stem} ${moment}${ending.replace(/[\\/<>:"|?*#^[\]]/g, "")}`;
}

let sending = Promise.resolve();
let timer = 0;

/** Send what waits, one after another; what the server does not take in is tried again. */
export function sendWaiting(): Promise<void> {
  return (sending = sending.then(sendAll));
}

async function sendAll(): Promise<void> {
  for (const [key, one] of await all()) {
    try {
      await upload(one.note, one.name, one.file);
    } catch (error) {
      if (error instanceof Offline) return again();
      complain(error); // refused for good: the note may be gone, or the vault only be read
    }
    await forget(key);
    filesArrived.value++;
  }
}

function again(): void {
  timer ||= window.setTimeout(() => { timer = 0; void sendWaiting(); }, AGAIN_MS);
}

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(DATABASE, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE, { autoIncrement: true });
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error ?? new Error("The browser keeps nothing for this page."));
  });
}

async function stored<Result>(how: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
  const open = await database();
  try {
    return await new Promise((resolve, reject) => {
      const change = open.transaction(STORE, how);
      const asked = run(change.objectStore(STORE));
      change.oncomplete = () => resolve(asked.result);
      change.onerror = change.onabort = () => reject(change.error ?? new Error("The browser has no room for this file."));
    });
  } finally {
    open.close();
  }
}

const keep = (one: Waiting) => stored("readwrite", (store) => store.add(one));
const forget = (key: IDBValidKey) => stored("readwrite", (store) => store.delete(key));
async function all(): Promise<[IDBValidKey, Waiting][]> {
  const keys = await stored("readonly", (store) => store.getAllKeys());
  const values = await stored<Waiting[]>("readonly", (store) => store.getAll() as IDBRequest<Waiting[]>);
  return keys.map((key, at) => [key, values[at]!]);
}

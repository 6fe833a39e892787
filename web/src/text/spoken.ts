// A change said in words, for those who hear the page: what cannot be seen is named to them as well.

import { visible } from "./invisible.ts";

export function spoken(old: string, added: string): string {
  const [from, to] = [said(old), said(added)];
  return old && added ? `replaced “${from}” by “${to}”` : added ? `inserted “${to}”` : `deleted “${from}”`;
}

const said = (text: string) => visible(text).trim() || "blanks";

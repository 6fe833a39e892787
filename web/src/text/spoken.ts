// A change said in words, for those who hear the page.

export function spoken(old: string, added: string): string {
  const [from, to] = [old.trim() || "blanks", added.trim() || "blanks"];
  return old && added ? `replaced “${from}” by “${to}”` : added ? `inserted “${to}”` : `deleted “${from}”`;
}

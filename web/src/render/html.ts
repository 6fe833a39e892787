// HTML in a note: harmless tags with harmless attributes are written anew, everything else is shown
// as text. It is sanitised after that too; but a parser that only sees an attack already reports it.

/** The tags that a rendered note is made of. */
export const TAGS = (
  "a abbr article aside b blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr"
).split(" ");
const KEPT = new Set(TAGS);
// Shown as what they hold.
const EMPTIED: Record<string, string> = { button: "span", font: "span", label: "span", nobr: "span", big: "span" };
const ATTRIBUTES = new Set("align alt colspan height href open reversed rowspan span src start title valign width".split(" "));
const TAG = /<(\/?)([a-z][a-z0-9]*)((?:[ \t\n]+[a-z][a-z0-9:_-]*(?:[ \t\n]*=[ \t\n]*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'=<>`]+))?)*)[ \t\n]*(\/?)>|<!--[^]*?(?:-->|$)/gi;
const ATTRIBUTE = /([a-z][a-z0-9:_-]*)(?:[ \t\n]*=[ \t\n]*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'=<>`]+)))?/gi;

/** Write HTML of a note so that it holds nothing but what is known to be harmless. */
export function harmless(html: string): string {
  let written = "";
  let at = 0;
  TAG.lastIndex = 0;
  for (const found of html.matchAll(TAG)) {
    written += escaped(html.slice(at, found.index)) + rewritten(found);
    at = found.index + found[0].length;
  }
  return written + escaped(html.slice(at));
}

const VOID = new Set("br col hr img wbr".split(" "));

/** Count the tags that HTML of a note leaves open; below 0, if it closes others. */
export function openTags(html: string): number {
  let open = 0;
  for (const [, closing, name] of html.matchAll(TAG)) {
    const tag = (name ?? "").toLowerCase();
    if (KEPT.has(EMPTIED[tag] ?? tag) && !VOID.has(tag)) open += closing ? -1 : 1;
  }
  return open;
}

function rewritten([whole, closing, name, attributes, empty]: RegExpMatchArray): string {
  if (name === undefined) return "";
  const tag = name.toLowerCase();
  if (tag === "iframe") return closing ? "" : frame(attributes ?? "");
  const kept = EMPTIED[tag] ?? tag;
  if (!KEPT.has(kept)) return escaped(whole);
  return closing ? `</${kept}>` : `<${kept}${attributesOf(attributes ?? "")}${empty}>`;
}

/** A frame of another site is not loaded; it is a link. */
function frame(attributes: string): string {
  const source = /\bsrc[ \t\n]*=[ \t\n]*["']?(https?:\/\/[^\s"'<>]+)/i.exec(attributes)?.[1];
  return source ? `<a href="${attribute(source)}" data-frame="">${escaped(source)}</a>` : "";
}

function attributesOf(source: string): string {
  let written = "";
  for (const [, name, double, single, bare] of source.matchAll(ATTRIBUTE)) {
    const key = name!.toLowerCase();
    if (!ATTRIBUTES.has(key)) continue;
    const value = decoded(double ?? single ?? bare ?? "");
    // Nothing is loaded while HTML is read: whoever shows a picture decides where it comes from.
    written += ` ${key === "src" ? "data-src" : key}="${attribute(value)}"`;
  }
  return written;
}

function decoded(value: string): string {
  return value.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function attribute(value: string): string {
  return escaped(value).replaceAll('"', "&quot;");
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

// The headings of a Markdown text, for the outline and for links to them.

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly line: number;
  readonly from: number;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$/;
/** As in Obsidian, a link calls a heading without its signs: `Why *so*?` may be written `Why so`. */
export function plainHeading(heading: string): string {
  return heading
    .replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1")
    .replace(/[ \t]\^[A-Za-z0-9-]+$/, "")
    .replace(/[!-&(-,./:-@[-`{-~]/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

export function headings(text: string): Heading[] {
  const found: Heading[] = [];
  let fence = "";
  let from = 0;
  let line = 1;
  for (const row of text.split("\n")) {
    const run = FENCE.exec(row)?.[1];
    if (fence) {
      if (run?.startsWith(fence) && !row.slice(row.indexOf(run) + run.length).trim()) fence = "";
    } else if (run) fence = run;
    else if (row.length < 1000) {
      const heading = HEADING.exec(row);
      if (heading) found.push({ level: heading[1]!.length, text: heading[2]!, line, from });
    }
    from += row.length + 1;
    line++;
  }
  return found;
}

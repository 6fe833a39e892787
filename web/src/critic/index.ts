export { type Change, idOf, idsOf, sides, type Suggestion, suggestions, within } from "./listing.ts";
export { closer, DIVIDER, type Mark, type Marked, newSide, oldSide, opener, parse, type Sign } from "./marks.ts";
export { type Metadata, sameMetadata, writeMetadata } from "./metadata.ts";
export { accepted, base, joined, type Role, type Run, runs } from "./views.ts";

// How the history looks: the list beside what is chosen, one above the other's place on a phone.

import { adopt } from "../styles/adopt.ts";

adopt(`
.history { display: flex; flex-direction: column; padding-bottom: 0; } .history > * { width: 100%; max-width: 1280px; }
.history .view-head { margin-bottom: 12px; }
.history .filters { display: flex; flex-wrap: wrap; gap: 8px 18px; align-items: baseline; margin-bottom: 14px; }
.history .filters select { max-width: 180px; height: 30px; padding: 0 6px; }
.history .both { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(300px, 5fr) minmax(0, 6fr); border-top: 1px solid var(--line); }
.history .revisions { border-right: 1px solid var(--line); } .history .revisions:focus-visible { outline: none; }
.history .revision { height: 82px; display: flex; gap: 16px; align-items: flex-start; padding: 11px 14px 0 12px; border-bottom: 1px solid var(--line); border-left: 3px solid transparent; cursor: pointer; overflow: hidden; }
.history .revision:hover { background: color-mix(in srgb, var(--hover) 55%, transparent); }
.history .revision.fresh { border-left-color: var(--accent); } .history .revision.base { border-left-color: var(--group-4); }
.history .revision.current { background: var(--hover); } .history .revisions:focus-visible .current { box-shadow: inset 0 0 0 2px var(--accent); }
.history .by { flex: 0 0 96px; display: flex; flex-direction: column; font-size: 12.5px; line-height: 1.5; overflow: hidden; } .history .by > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.history .assistant .who { color: var(--accent); } .history .program .who { color: var(--ink-soft); }
.history .what { flex: 1; min-width: 0; } .history .line { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.history .title { font: 600 15.5px/1.4 var(--serif); }
.history .revision .change { margin-top: 1px; font: 14.5px/1.42 var(--serif); color: var(--ink-soft); display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; overflow-wrap: anywhere; }
.history .detail { min-width: 0; overflow-y: auto; padding: 14px 0 48px 28px; } .history .detail:focus-visible { outline: none; }
.history .detail header { display: flex; gap: 12px; align-items: center; } .history .detail h2 { margin: 0; font: 600 20px/1.3 var(--serif); color: var(--ink); overflow-wrap: anywhere; }
.history .comparing { margin-top: 10px; padding: 8px 12px; border-radius: 8px; background: var(--accent-soft); }
.history .passages { margin-top: 14px; } .history .detail .passage { display: flex; gap: 12px; margin-bottom: 10px; padding: 0 0 10px; border-bottom: 1px solid var(--line); }
.history .line-number { flex: 0 0 34px; text-align: right; font-variant-numeric: tabular-nums; line-height: 25px; }
.history .detail .passage p { min-width: 0; font: 16px/1.55 var(--serif); white-space: pre-wrap; overflow-wrap: anywhere; }
.history .acts { display: flex; flex-wrap: wrap; gap: 10px 14px; align-items: baseline; margin-top: 14px; } .history .acts a { color: var(--accent); }
.history .undoing { margin-bottom: 14px; padding: 12px 16px; border: 1px solid var(--line); border-radius: 8px; max-height: 45vh; overflow-y: auto; }
.history .undoing li + li { margin-top: 10px; } .history .undoing .taken { margin: 2px 0 0 12px; font: 15px/1.5 var(--serif); overflow-wrap: anywhere; } .history .unclear { font-weight: 600; } .history .undo-all { align-self: flex-start; width: auto; margin: 0 0 12px; }
@media (max-width: 820px) {
  .history .both { grid-template-columns: minmax(0, 1fr); margin: 0 -18px; width: auto; }
  .history .revisions { border-right: 0; } .history .by { flex-basis: 82px; }
  .history .filters { gap: 6px 12px; font-size: 13px; } .history .filters select { max-width: 128px; }
  .history .detail { display: none; padding: 12px 18px 60px; }
  .history.shows .detail { display: block; } .history.shows .revisions, .history.shows .filters { display: none; }
}
`);

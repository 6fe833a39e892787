// The left side: finding, what waits, and the tree of notes.

import { approvals, closed, dialog, isDark, notes, pendingTotal, place, readOnly, sidebarOpen, theme, vaultName } from "../store.ts";
import { shownKey } from "../commands.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Tree } from "./tree.tsx";

export function Sidebar() {
  return (
    <nav class={`sidebar${sidebarOpen.value ? " open" : ""}`} aria-label="Vault">
      <div class="sidebar-top">
        <a class="vault" href="#">{vaultName.value}</a>
        {readOnly.value && <span class="badge" title="This server was started read-only: nothing can be changed here.">Read only</span>}
        {!readOnly.value && <button type="button" class="quiet" aria-label="New note" title="New note (N)" onClick={() => (dialog.value = { kind: "create", path: "", template: "" })}><Icon name="plus" /></button>}
        <button type="button" class="quiet only-narrow" aria-label="Hide all notes" onClick={() => (sidebarOpen.value = false)}><Icon name="close" /></button>
      </div>
      <button type="button" class="finder" onClick={() => (dialog.value = { kind: "palette", typed: "" })}><Icon name="search" /><span>Find</span><kbd>{shownKey("Mod+k")}</kbd></button>
      <ul class="ways">
        <Way view="search" href="#search!" icon="search" label="Search" />
        <Way view="review" href={closed.value.has("sets") ? "#review!all" : "#review"} icon="review" label="Review" count={pendingTotal.value} />
        {!readOnly.value && !closed.value.has("approvals") && <Way view="approvals" href="#approvals" icon="inbox" label="Approvals" count={approvals.value ?? 0} />}
        <Way view="tags" href="#tags" icon="tag" label="Tags" />
        <Way view="graph" href="#graph" icon="graph" label="Graph" />
        {!closed.value.has("history") && <Way view="history" href="#history" icon="clock" label="History" />}
        {!readOnly.value && !closed.value.has("trash") && <Way view="trash" href="#trash" icon="trash" label="Trash" />}
      </ul>
      <div class="tree-box">{notes.value ? <Tree /> : <p class="empty">Loading</p>}</div>
      <div class="sidebar-foot">
        {!closed.value.has("connect") && <button type="button" class="quiet wide" onClick={() => (dialog.value = { kind: "connect" })}><Icon name="plug" />Connect your assistant</button>}
        <button type="button" class="quiet" aria-label={isDark.value ? "Switch to light" : "Switch to dark"} onClick={() => (theme.value = isDark.value ? "light" : "dark")}><Icon name={isDark.value ? "sun" : "moon"} /></button>
        <button type="button" class="quiet" aria-label="Keyboard help" onClick={() => (dialog.value = { kind: "help" })}><Icon name="help" /></button>
      </div>
    </nav>
  );
}

function Way({ view, href, icon, label, count = 0 }: { view: string; href: string; icon: IconName; label: string; count?: number }) {
  const now = place.value.view;
  const here = now === view || (view === "review" && (now === "set" || now === "suggestions"));
  return (
    <li><a href={href} class={here ? "here" : ""} aria-current={here ? "page" : undefined}>
      <Icon name={icon} />{label}{count > 0 && <span class="count">{count.toLocaleString()}</span>}
    </a></li>
  );
}

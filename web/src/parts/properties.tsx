// The properties of a note as a form. A change touches the lines of that property alone.

import { useSignal } from "@preact/signals";
import type { EditorView } from "@codemirror/view";

import { asForm, front } from "../editor/frontmatter.ts";
import { verbatim } from "../editor/guard.ts";
import { type Property, type Value, writeProperty } from "../text/properties.ts";

export function Properties({ view, locked }: { view: EditorView; locked: boolean; version: number }) {
  const { block, form } = view.state.field(front);
  const adding = useSignal("");
  if (!block || !form) return null;
  // What is on the screen may be a moment old: its place is looked up when it changes.
  const now = (key: string) => view.state.field(front).block?.properties.find((each) => each.key === key);
  const change = ({ key }: Property, value: Value) => {
    const property = now(key);
    if (property) put(view, property.from, property.to, writeProperty(key, value));
  };
  const remove = ({ key }: Property) => {
    const property = now(key);
    if (property) put(view, property.from, property.to + 1, "");
  };
  const add = () => {
    const key = adding.value.replace(/[:#\n]/g, "").trim();
    const closing = view.state.field(front).block?.closing;
    if (key && closing !== undefined && !now(key)) put(view, closing, closing, `${key}:\n`);
    adding.value = "";
  };
  return (
    <section class="properties" aria-label="Properties">
      {block.properties.map((property) => (
        <div class="property" key={property.key}>
          <span class="key">{property.key}</span>
          <Field property={property} locked={locked} change={(value) => change(property, value)} />
          {!locked && <button type="button" class="quiet small remove" aria-label={`Remove ${property.key}`} onClick={() => remove(property)}>×</button>}
        </div>
      ))}
      {!locked && (
        <div class="property-add">
          <input aria-label="Name of a new property" placeholder="Add a property" value={adding.value} onInput={(event) => (adding.value = event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Enter" && add()} onBlur={add} />
          <button type="button" class="quiet small" onClick={() => view.dispatch({ effects: asForm.of(false) })}>As text</button>
        </div>
      )}
    </section>
  );
}

function put(view: EditorView, from: number, to: number, insert: string): void {
  view.dispatch({ changes: { from, to: Math.min(to, view.state.doc.length), insert }, annotations: verbatim.of(true) });
}

interface FieldProps {
  property: Property;
  locked: boolean;
  change: (value: Value) => void;
}

function Field({ property, locked, change }: FieldProps) {
  const { key, value, complex } = property;
  if (complex) return <code class="value complex" title="Edit it as text">{String(value)}</code>;
  if (Array.isArray(value)) return <Chips name={key} values={value} locked={locked} change={change} />;
  if (typeof value === "boolean") return <input class="value" type="checkbox" aria-label={key} checked={value} disabled={locked} onChange={(event) => change(event.currentTarget.checked)} />;
  const kind = typeof value === "number" ? "number" : /^\d{4}-\d\d-\d\d$/.test(value ?? "") ? "date" : "text";
  const take = (typed: string) => {
    const next = kind === "number" && typed !== "" && Number.isFinite(Number(typed)) ? Number(typed) : typed || null;
    if (next !== value) change(next);
  };
  const shared = { class: "value", "aria-label": key, value: value === null ? "" : String(value), readOnly: locked, onChange: (event: Event) => take((event.currentTarget as HTMLInputElement).value) };
  if (kind === "number") return <input type="number" step="any" {...shared} />;
  return kind === "date" ? <input type="date" {...shared} /> : <input type="text" placeholder="empty" {...shared} />;
}

function Chips({ name, values, locked, change }: { name: string; values: string[]; locked: boolean; change: (value: Value) => void }) {
  const typed = useSignal("");
  const add = () => {
    const word = typed.value.trim();
    typed.value = "";
    if (word && !values.includes(word)) change([...values, word]);
  };
  return (
    <span class="value chips">
      {values.map((item) => (
        <span class="chip" key={item}>{item}{!locked && <button type="button" class="quiet" aria-label={`Remove ${item} from ${name}`} onClick={() => change(values.filter((other) => other !== item))}>×</button>}</span>
      ))}
      {!locked && <input aria-label={`Add to ${name}`} placeholder="add" value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} onBlur={add}
        onKeyDown={(event) => (event.key === "Enter" || event.key === ",") && (event.preventDefault(), add())} />}
    </span>
  );
}

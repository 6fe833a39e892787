// Components whose code is loaded when they are first shown.

import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";

import { returned } from "../events.ts";
import { complain } from "../store.ts";

const AWAY = "This part of the page could not be loaded. Is commonplace serve still running?";

/** `fetched` loads the code before it is needed: the component is then there at once. */
export type Lazy<Props> = ComponentType<Props> & { readonly fetched: () => Promise<void> };

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>, meanwhile: ComponentChildren = <p class="empty">Loading</p>): Lazy<Props> {
  let found: ComponentType<Props> | null = null;
  const fetched = () => load().then((component) => void (found = component));
  const Loaded = (props: Props) => {
    const ready = useSignal(found !== null);
    useEffect(() => {
      // Somebody else may have fetched it since this was drawn.
      if (found) ready.value = true;
      else void fetched().then(() => (ready.value = true)).catch(() => complain(new Error(AWAY)));
    }, [returned.value]);
    const Component = found;
    return ready.value && Component ? <Component {...props} /> : <>{meanwhile}</>;
  };
  return Object.assign(Loaded, { fetched });
}

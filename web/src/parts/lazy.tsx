// Components whose code is loaded when they are first shown.

import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";

import { complain } from "../store.ts";

const AWAY = "This part of the page could not be loaded. Is commonplace serve still running?";

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>, meanwhile: ComponentChildren = <p class="empty">Loading</p>): ComponentType<Props> {
  let found: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const ready = useSignal(found !== null);
    useEffect(() => {
      if (!found) void load().then((component) => { found = component; ready.value = true; }).catch(() => complain(new Error(AWAY)));
    }, []);
    const Component = found;
    return ready.value && Component ? <Component {...props} /> : <>{meanwhile}</>;
  };
}

export function Suspense({ children }: { children: ComponentChildren }) {
  return <>{children}</>;
}

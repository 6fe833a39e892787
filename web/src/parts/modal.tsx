// A dialog over the page: the browser's own, which holds the focus and closes on Escape.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import { typeKept } from "../early_keys.ts";
import { dialog } from "../store.ts";
import { Icon } from "./icon.tsx";

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly bare?: boolean;
}

export function close(): void {
  dialog.value = null;
}

export function Modal({ title, children, bare, ...rest }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    typeKept();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const onClick = (event: MouseEvent) => {
    if (event.target === box.current) close();
  };
  // The browser tells of its own closing too late: another dialog may be open by then.
  const onCancel = (event: Event) => {
    event.preventDefault();
    close();
  };
  return (
    <dialog ref={box} class={`modal ${rest.class ?? ""}`} aria-label={title} onCancel={onCancel} onClick={onClick}>
      <div class="modal-body">
        {!bare && (
          <header class="modal-head">
            <h2>{title}</h2>
            <button type="button" class="quiet" aria-label="Close" onClick={close}><Icon name="close" /></button>
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}

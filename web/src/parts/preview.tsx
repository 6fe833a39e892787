// The note as it reads, rendered; the code for it is loaded on first use.

import type { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";

export function Preview({ view, version, path, follow }: { view: EditorView; version: number; path: string; follow: (link: string) => void }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    void import("../preview.ts").then(({ renderInto }) => {
      if (box.current) renderInto(box.current, view.state.doc.toString(), follow);
    });
  }, [view, version, path]);
  return <article ref={box} class="sheet prose" aria-label="Preview" tabIndex={0} />;
}

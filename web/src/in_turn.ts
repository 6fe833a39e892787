// Work that must not overlap with itself: an old answer would be taken for the newest.

/**
 * Do `work` one at a time. What is asked for while it is under way is done once more after it, so
 * that the promise always is that of a run which began after the call.
 */
export function inTurn(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const run = () => (running = work().finally(() => (running = null)));
  const again = () => {
    next = null;
    return run();
  };
  return () => next ?? (running ? (next = running.then(again, again)) : run());
}

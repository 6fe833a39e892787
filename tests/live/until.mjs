// How programs in Node wait, in the tests: for what must come true, never for a fixed time.
const PAUSE_MS = 5
const PATIENCE_MS = 60_000

const until = async (what, isSo, ms = PATIENCE_MS) => {
  const end = Date.now() + ms
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`not in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}


// What real Yjs makes of updates: for each line of JSON with lists of updates in base64, their texts.
import * as Y from 'yjs'
import { createInterface } from 'node:readline'

const read = (updates) => {
  const doc = new Y.Doc()
  for (const update of updates) Y.applyUpdate(doc, Buffer.from(update, 'base64'))
  if (doc.store.pendingStructs || doc.store.pendingDs) return 'something is missing'
  return doc.getText('contents').toString()
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(JSON.parse(line).map(read)) + '\n')
}

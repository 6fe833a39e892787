// Two y-websocket clients of one folder's document; reads where it is, tells what both saw last.
import * as Y from 'yjs'
import { WebsocketProvider } from 'y-websocket'
import { randomUUID } from 'node:crypto'

const { url, document } = JSON.parse(await new Response(process.stdin).text())

const join = async (id) => {
  const doc = new Y.Doc()
  const provider = new WebsocketProvider(url, id, doc, { disableBc: true })
  await until(`${id} synced`, () => provider.synced)
  return { doc, provider, files: doc.getMap('filemeta_v0'), docs: doc.getMap('docs') }
}

const put = ({ files, docs }, path, id) => {
  files.set(path, { id, type: 'markdown', version: 0 })
  docs.set(path, id)
}

const remove = ({ files, docs }, path) => {
  files.delete(path)
  docs.delete(path)
}

const ana = await join(document)
const bo = await join(document)
const first = ana.files.get('/a.md').id

const made = randomUUID()
ana.doc.transact(() => put(ana, '/Sub/New 😀.md', made))
await until('the folder of a new note', () => bo.files.get('/Sub')?.type === 'folder')

ana.doc.transact(() => {
  remove(ana, '/a.md')
  put(ana, '/Sub/renamed.md', first)
})
await until('a rename', () => bo.files.get('/Sub/renamed.md')?.id === first && !bo.files.has('/a.md'))

bo.doc.transact(() => remove(bo, '/b.md'))
await until('a deletion', () => !ana.files.has('/b.md'))

const nested = randomUUID()
ana.doc.transact(() => {
  for (const path of ['//', '/', '/../evil.md', '/.hidden.md', 'no slash.md', '/CON.md']) {
    put(ana, path, randomUUID())
  }
  ana.files.set('/Picture.png', { id: randomUUID(), type: 'image', version: 0, hash: 'x' })
  ana.files.set('/c.md', 7)
  const value = new Y.Map()
  value.set('id', nested)
  value.set('type', 'markdown')
  value.set('version', 0)
  ana.files.set('/Nested.md', value)
})
await until('what is wrong to be taken back', () =>
  [ana, bo].every(({ files, docs }) =>
    !files.has('//') && !files.has('/../evil.md') && !files.has('/Picture.png') &&
    files.get('/c.md')?.type === 'markdown' && docs.get('/Nested.md') === nested))

const note = await join(made)
note.doc.getText('contents').insert(0, 'typed 漢字 😀 [[c]]\n')
await until('a link that was typed', () =>
  bo.doc.getMap('backlinks_v0').get(bo.files.get('/c.md').id)?.includes(made))

const shown = ({ doc }) => Object.fromEntries(
  ['filemeta_v0', 'docs', 'backlinks_v0', 'folder_config'].map((name) => [name, doc.getMap(name).toJSON()]))
const plain = Array.isArray(bo.doc.getMap('backlinks_v0').get(bo.files.get('/c.md').id))
console.log(JSON.stringify({ ana: shown(ana), bo: shown(bo), made, nested, first, plain }))
process.exit(0)

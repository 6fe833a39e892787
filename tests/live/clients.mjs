// Yjs clients that others wrote, told what to do in JSON lines on stdin; each is answered by one.
import * as Y from 'yjs'
import { WebsocketProvider } from 'y-websocket'
import { createYjsProvider } from '@y-sweet/client'
import { DocumentManager } from '@y-sweet/sdk'
import { createInterface } from 'node:readline'

const clients = new Map()
const pieces = ['a', 'bc ', '😀', '👩‍👧‍👦', '漢字', '한국어', 'e\u0301', 'ไทย', '\n', '- x\n', '🇪🇪', 'שלום']
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const random = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

// Offsets are UTF-16 units; an editor never puts one inside a surrogate pair.
const whole = (text, at) => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}

const edit = (text, rng) => {
  const now = text.toString()
  const at = whole(now, Math.floor(rng() * (now.length + 1)))
  if (rng() < 0.3) {
    const end = whole(now, Math.min(now.length, at + 1 + Math.floor(rng() * 3)))
    if (end > at) text.delete(at, end - at)
  } else {
    text.insert(at, pieces[Math.floor(rng() * pieces.length)])
  }
}

const find = (name) => {
  const client = clients.get(name)
  if (!client) throw new Error(`no client ${name}`)
  return client
}

const keep = (name, doc, provider, connected, saved) => {
  const client = { doc, provider, text: doc.getText('contents'), connected, saved, closed: null }
  clients.set(name, client)
  return client
}

// How a Yjs client shows an access token: before all else, as the first message.
const introducing = (token) => class extends WebSocket {
  constructor (...given) {
    super(...given)
    this.addEventListener('open', () => this.send(`Bearer ${token}`))
  }
}

const verbs = {
  async websocket ({ name, url, document, token }) {
    const doc = new Y.Doc()
    const options = token ? { WebSocketPolyfill: introducing(token) } : {}
    const provider = new WebsocketProvider(url, document, doc, { disableBc: true, ...options })
    const client = keep(name, doc, provider, () => provider.synced, () => true)
    client.closes = []
    provider.on('closed', ({ code, reason }) => { client.closed = code; client.reason = reason })
    provider.on('connection-close', (event) => { if (event) client.closes.push(event.code) })
    return { client: doc.clientID }
  },
  async sweet ({ name, url, document, authorization }) {
    const manager = new DocumentManager(url)
    const doc = new Y.Doc()
    const token = () => manager.getClientToken(document, { authorization })
    const provider = createYjsProvider(doc, document, token, { showDebuggerLink: false })
    keep(name, doc, provider, () => provider.status === 'connected', () => !provider.hasLocalChanges)
    return { client: doc.clientID }
  },
  async synced ({ names }) {
    for (const name of names) await until(`${name} synced`, find(name).connected)
  },
  async edit ({ names, count, seed, pause = 4 }) {
    const type = async (name, at) => {
      const { text } = find(name)
      const rng = random(seed + at)
      for (let i = 0; i < count; i++) {
        edit(text, rng)
        if (pause) await sleep(rng() * pause)
      }
    }
    await Promise.all(names.map(type))
  },
  async insert ({ name, at, text }) {
    const client = find(name)
    client.text.insert(at < 0 ? client.text.length : at, text)
  },
  async remove ({ name, at, length }) {
    find(name).text.delete(at, length)
  },
  async saved ({ names }) {
    for (const name of names) await until(`${name} saved`, find(name).saved)
  },
  async unsaved ({ name }) {
    return find(name).provider.hasLocalChanges
  },
  async alike ({ names, ms }) {
    const states = () => names.map((name) => find(name).text.toString())
    await until('all alike', () => new Set(states()).size === 1, ms)
  },
  async has ({ name, text }) {
    const client = find(name)
    await until(`${name} has ${text}`, () => client.text.toString().includes(text))
  },
  async text ({ name }) {
    const { doc, text } = find(name)
    // a pair that was cut would be told by this
    if (doc.store.pendingStructs || doc.store.pendingDs) throw new Error('something is missing')
    return text.toString()
  },
  async echoed ({ name }) {
    const { provider } = find(name)
    provider.wsLastMessageReceived = 0
    provider.awareness.setLocalState(provider.awareness.getLocalState())
    await until(`${name} hears itself`, () => provider.wsLastMessageReceived > 0)
  },
  async forget ({ name }) {
    find(name).provider.destroy()
    clients.delete(name)
  },
  async disconnect ({ name }) {
    const { provider, connected } = find(name)
    provider.disconnect()
    await until(`${name} disconnected`, () => !connected())
  },
  async connect ({ name }) {
    find(name).provider.connect()
  },
  async show ({ name, state }) {
    find(name).provider.awareness.setLocalState(state)
  },
  async seen ({ name, users }) {
    const { provider } = find(name)
    const present = () => [...provider.awareness.getStates().values()]
      .filter((state) => state.user).map((state) => state.user.name).sort()
    const wanted = JSON.stringify([...users].sort())
    await until(`${name} sees ${wanted}, not ${JSON.stringify(present())}`,
      () => JSON.stringify(present()) === wanted)
    return [...provider.awareness.getStates().values()]
  },
  async closed ({ name }) {
    const client = find(name)
    await until(`${name} closed`, () => client.closed !== null)
    return client.closed
  },
  async reason ({ name }) {
    return find(name).reason
  },
  async sdk ({ url, document }) {
    const manager = new DocumentManager(url)
    const refused = async (work) => work.then(() => null, (error) => error.cause?.status ?? error.cause?.code)
    const update = await manager.getDocAsUpdate(document)
    const doc = new Y.Doc()
    Y.applyUpdate(doc, update)
    const before = Y.encodeStateVector(doc)
    doc.getText('contents').insert(0, 'sdk ')
    await manager.updateDoc(document, Y.encodeStateAsUpdate(doc, before))
    const read = await manager.getDocConnection(document, { authorization: 'read-only' })
    return {
      store: await manager.checkStore(),
      made: await manager.createDoc(document),
      token: await manager.getOrCreateDocAndToken(document),
      text: doc.getText('contents').toString(),
      unknown: await refused(manager.createDoc('wasps')),
      unnamed: await refused(manager.createDoc()),
      stranger: await refused(manager.getClientToken('wasps')),
      writing: await refused(read.updateDoc(update))
    }
  },
  async latency ({ source, target, count }) {
    const [one, two] = [find(source), find(target)]
    const times = []
    for (let i = 0; i < count; i++) {
      const mark = `«${i}»`
      const heard = new Promise((resolve) => {
        const listen = () => {
          if (two.text.toString().includes(mark)) { two.text.unobserve(listen); resolve() }
        }
        two.text.observe(listen)
      })
      const start = performance.now()
      one.text.insert(one.text.length, mark)
      await heard
      times.push(performance.now() - start)
    }
    return times
  },
  async end () {
    for (const { provider } of clients.values()) provider.destroy()
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { verb, ...rest } = JSON.parse(line)
  const answer = await verbs[verb](rest).then((value) => ({ value: value ?? null }), (error) => ({ error: String(error) }))
  process.stdout.write(JSON.stringify(answer) + '\n')
}

// npm run bench:half-load [-- --seconds N --only PART]: what clients wait for at half of what a server can do at most.
// First as much as it takes (redis-benchmark, 50 clients, pipeline 1), then half of that rate for so long, whether the
// server keeps up or not: each command counts from the moment when it was due, so a pause counts for all who met it.

import { once } from 'node:events'
import net from 'node:net'
import { parseArgs } from 'node:util'
import { build as buildHistogram } from 'hdr-histogram-js'
import type { Histogram } from 'hdr-histogram-js'
import { benchmark, WARM_UP_COMMANDS } from './load.js'
import { Peer, type Fsync, type PeerName } from './peer.js'
import { encode, replyEnd, target } from './wire-client.js'

const PEERS: readonly PeerName[] = ['redis', 'millrace']
const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, only: { type: 'string', default: '' } },
})
const seconds = Number(options.seconds)
const PERCENTILES = [50, 99, 99.9, 99.99] as const
const CLIENTS = 50
const KEYS = 1000
const VALUE = 'x'.repeat(100)

interface Load {
  readonly name: string
  readonly fsync: Fsync
  /** With redis-benchmark's place for a random key. */
  readonly words: readonly string[]
  /** Has the keys there before. */
  readonly prepare?: readonly string[]
}

const LOADS: readonly Load[] = [
  { name: 'xadd-everysec', fsync: 'everysec', words: ['XADD', 'stream:__rand_int__', '*', 'field', VALUE] },
  { name: 'xadd-always', fsync: 'always', words: ['XADD', 'stream:__rand_int__', '*', 'field', VALUE] },
  { name: 'get', fsync: 'everysec', words: ['GET', 'key:__rand_int__'], prepare: ['SET', 'key:__rand_int__', VALUE] },
]

/** A client that sends when it is told to, and notes how long after its time each reply came. */
class PacedClient {
  readonly #due: number[] = []
  #next = 0
  #pending: Buffer = Buffer.alloc(0)

  private constructor(
    readonly socket: net.Socket,
    readonly latencies: Histogram,
  ) {
    socket.setNoDelay(true)
    socket.on('data', chunk => this.#take(chunk))
  }

  static async connect(port: number, latencies: Histogram): Promise<PacedClient> {
    const socket = net.connect(port, target.host)
    await once(socket, 'connect')
    return new PacedClient(socket, latencies)
  }

  get owed(): number {
    return this.#due.length - this.#next
  }

  send(bytes: Buffer, dueMs: number): void {
    this.#due.push(dueMs)
    this.socket.write(bytes)
  }

  #take(chunk: Buffer): void {
    const bytes = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk
    const nowMs = performance.now()
    let at = 0
    while (at < bytes.length) {
      const end = replyEnd(bytes, at)
      if (end < 0) break
      if (bytes[at] === 45) throw new Error(`the server answered: ${bytes.toString('latin1', at, end)}`)
      at = end
      const us = Math.max(1, Math.round((nowMs - this.#due[this.#next++]) * 1000))
      this.latencies.recordValue(us)
    }
    this.#pending = bytes.subarray(at)
  }
}

/** Sends so many commands a second, those of a millisecond together, for so long. */
async function pace(port: number, rate: number, words: readonly string[], ms: number): Promise<Histogram> {
  const latencies = buildHistogram({ highestTrackableValue: 60_000_000 })
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => PacedClient.connect(port, latencies)))
  const commands = Array.from({ length: KEYS }, (_, i) =>
    encode(...words.map(word => word.replace('__rand_int__', String(i).padStart(12, '0')))),
  )
  const beganMs = performance.now()
  let sent = 0
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      const passedMs = Math.min(performance.now() - beganMs, ms)
      for (; sent < (passedMs * rate) / 1000; sent++) {
        const dueMs = beganMs + Math.ceil((sent * 1000) / rate)
        clients[sent % CLIENTS].send(commands[(sent * 7919) % KEYS], dueMs)
      }
      if (passedMs < ms || clients.some(client => client.owed > 0)) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  for (const { socket } of clients) socket.destroy()
  return latencies
}

async function run(load: Load, name: PeerName): Promise<void> {
  const peer = new Peer(name, load.fsync)
  try {
    await peer.start()
    const words = [...load.words]
    if (load.prepare !== undefined) await benchmark(peer.port, 10 * KEYS, CLIENTS, 16, [...load.prepare], KEYS)
    await benchmark(peer.port, WARM_UP_COMMANDS, CLIENTS, 1, words, KEYS)
    const most = await benchmark(peer.port, WARM_UP_COMMANDS, CLIENTS, 1, words, KEYS)
    const rate = Math.round(most.operations / most.seconds / 2)
    await peer.settle()
    await pace(peer.port, rate, words, 1000)
    const before = peer.cpuSeconds()
    const latencies = await pace(peer.port, rate, words, seconds * 1000)
    const cpuUs = ((peer.cpuSeconds() - before) * 1e6) / latencies.totalCount
    const cells = PERCENTILES.map(percent => (latencies.getValueAtPercentile(percent) / 1000).toFixed(2))
    const max = (latencies.maxValue / 1000).toFixed(2)
    console.log(`| ${[load.name, name, rate * 2, rate, ...cells, max, cpuUs.toFixed(1)].join(' | ')} |`)
  } finally {
    await peer.remove()
  }
}

const head = ['load', 'server', 'most /s', 'offered /s', ...PERCENTILES.map(p => `p${p} ms`), 'max ms', 'CPU µs']
console.log(`At half of the most, 50 clients, pipeline 1, 1,000 keys, values of 100 bytes, ${seconds} s:\n`)
console.log(`| ${head.join(' | ')} |\n| ${head.map(() => '---').join(' | ')} |`)
for (const load of LOADS.filter(({ name }) => name.includes(options.only))) {
  for (const name of PEERS) await run(load, name)
}

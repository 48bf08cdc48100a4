// npm run bench:mailbox [-- options]: how many messages a second one server process turns into mailboxes while every
// recipient reads its message, at rising rates, on redis-server and on Millrace alternately. The load does not wait for
// the server (open loop): latency counts from when a message was due. Options: --seconds per rung (10), --rates
// 500,2000,…, --layout stream|buckets for Millrace (stream); redis-server has buckets, the representation behind the
// goal. See docs/mailbox.md.

import net from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { build } from 'hdr-histogram-js'
import { MailboxLoad, SHARDS, USERS } from './mailbox-load.js'
import type { Layout } from './mailbox-load.js'
import { Peer } from './peer.js'
import { replyEnd } from './wire-client.js'

const RATES = [500, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000]
const TICK_MS = 5
const LATE_MS = 1_000
/** The goal of the record: 10,000 messages/s on four Redis processes with this P99. */
const P99_MS_MAX = 150
const DELIVERED_MIN = 0.99

interface Rung {
  readonly rate: number
  readonly sent: number
  readonly delivered: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuShare: number
}

/** One connection per shard: a message is two commands in a row, and delivered when the second is answered. */
class Lane {
  readonly #due: number[] = []
  #pending: Buffer = Buffer.alloc(0)
  #replies = 0
  fault: string | undefined
  constructor(
    readonly socket: net.Socket,
    readonly delivered: (dueMs: number) => void,
  ) {
    socket.setNoDelay(true)
    socket.on('data', chunk => this.#take(chunk))
  }

  send(bytes: Buffer, dueMs: number): void {
    this.#due.push(dueMs)
    this.socket.write(bytes)
  }

  #take(chunk: Buffer): void {
    const bytes = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk
    let at = 0
    while (at < bytes.length) {
      const end = replyEnd(bytes, at)
      if (end < 0) break
      // An error, an outcome other than 'appended', or an empty read.
      const isWrong = bytes[at] === 45 || (this.#replies % 2 === 0 ? bytes[at + 1] !== 56 : bytes[at + 1] !== 49)
      if (isWrong) this.fault ??= bytes.toString('latin1', at, end)
      else if (this.#replies % 2 === 1) this.delivered(this.#due.shift()!)
      this.#replies++
      at = end
    }
    this.#pending = bytes.subarray(at)
  }
}

async function rung(peer: Peer, layout: Layout, rate: number, seconds: number, prefix: string): Promise<Rung> {
  const load = new MailboxLoad(layout, Date.now(), prefix)
  await load.prepare(peer.port)
  const latencies = build({ highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: 3 })
  let delivered = 0
  const began = performance.now()
  const endMs = began + seconds * 1000
  const take = (dueMs: number): void => {
    const now = performance.now()
    latencies.recordValue(Math.max(1, Math.round((now - dueMs) * 1000)))
    if (now < endMs + LATE_MS) delivered++
  }
  const lanes = await Promise.all(
    Array.from({ length: SHARDS }, async () => {
      const socket = net.connect(peer.port, '127.0.0.1')
      await once(socket, 'connect')
      return new Lane(socket, take)
    }),
  )
  const cpuBefore = peer.cpuSeconds()
  let sent = 0
  const total = rate * seconds
  while (sent < total) {
    const now = performance.now()
    for (const owed = Math.min(total, ((now - began) / 1000) * rate); sent < owed; sent++) {
      const call = load.next()
      lanes[call.shard].send(Buffer.concat([call.materialize, call.read]), began + (sent / rate) * 1000)
    }
    await sleep(TICK_MS)
  }
  const lateMs = Math.max(0, endMs + LATE_MS - performance.now())
  for (let waited = 0; waited < lateMs && latencies.totalCount < total; waited += TICK_MS) await sleep(TICK_MS)
  const cpuShare = (peer.cpuSeconds() - cpuBefore) / ((performance.now() - began) / 1000)
  for (const lane of lanes) {
    lane.socket.destroy()
    if (lane.fault !== undefined) throw new Error(`${peer.name} answered ${lane.fault}`)
  }
  const ms = (percentile: number) => latencies.getValueAtPercentile(percentile) / 1000
  // What was never answered was not in time either.
  const p99Ms = latencies.totalCount < total * 0.99 ? Infinity : ms(99)
  return { rate, sent, delivered, p50Ms: ms(50), p99Ms, cpuShare }
}

function line(name: string, layout: Layout, r: Rung): string {
  const p99 = Number.isFinite(r.p99Ms) ? r.p99Ms.toFixed(1) : 'over the end'
  const share = ((100 * r.delivered) / r.sent).toFixed(1)
  const cpu = Math.round(100 * r.cpuShare)
  return `| ${name}, ${layout} | ${r.rate} | ${share} % | ${r.p50Ms.toFixed(1)} | ${p99} | ${cpu} % |`
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '10' },
      rates: { type: 'string', default: RATES.join(',') },
      layout: { type: 'string', default: 'stream' },
    },
  })
  const sides = [
    { name: 'redis', layout: 'buckets' },
    { name: 'millrace', layout: values.layout === 'buckets' ? 'buckets' : 'stream' },
  ] as const
  const out = (text: string) => process.stdout.write(`${text}\n`)
  out(`${SHARDS} shards, ${USERS} users, one process each, everysec, ${values.seconds} s per rung.\n`)
  out('| server, layout | messages/s | delivered | P50 ms | P99 ms | CPU |\n| --- | --- | --- | --- | --- | --- |')
  const best = new Map<string, number>()
  const isDone = new Set<string>()
  for (const rate of values.rates.split(',').map(Number)) {
    for (const { name, layout } of sides) {
      if (isDone.has(name)) continue
      // A fresh server for each rung: what one rung left undone must not weigh on the next.
      const peer = new Peer(name, 'everysec')
      try {
        await peer.start()
        await rung(peer, layout, Math.min(rate, 2_000), 3, 'warm:')
        const found = await rung(peer, layout, rate, Number(values.seconds), '')
        out(line(name, layout, found))
        const isCarried = found.p99Ms < P99_MS_MAX && found.delivered >= DELIVERED_MIN * found.sent
        if (isCarried) best.set(name, rate)
        if (found.delivered < 0.5 * found.sent) isDone.add(name)
      } finally {
        await peer.remove()
      }
    }
  }
  out('')
  for (const { name } of sides) {
    out(`${name}: ${best.get(name) ?? 'no rate'} messages/s with P99 < ${P99_MS_MAX} ms and ${100 * DELIVERED_MIN} %`)
  }
}

await main()

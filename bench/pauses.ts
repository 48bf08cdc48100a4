// npm run bench:pauses [-- --seconds N --streams N]: what clients wait for while a server is busy with others, under as
// many writes as it takes: a client that asks PING now and then, on redis-server and on Millrace by turns, and what
// Millrace itself says of its event loop and its pauses. What readers of cold data do to others: rows cold-fairness.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { build as buildHistogram } from 'hdr-histogram-js'
import type { Histogram } from 'hdr-histogram-js'
import { Peer, type PeerName } from './peer.js'
import { encode, WireClient } from './wire-client.js'

const PEERS: readonly PeerName[] = ['redis', 'millrace']
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    streams: { type: 'string', default: '1000' },
  },
})
const seconds = Number(options.seconds)
const { streams } = options
const PERCENTILES = [50, 99, 99.9, 99.99] as const
const PROBE_PAUSE_MS = 1
const EVENTS_FROM_MS = 5

const histogram = (): Histogram => buildHistogram({ highestTrackableValue: 60_000_000 })
const msOf = (us: number): string => (us / 1000).toFixed(2)
const cells = (h: Histogram): string[] => [
  ...PERCENTILES.map(percent => msOf(h.getValueAtPercentile(percent))),
  msOf(h.maxValue),
]
const row = (...words: readonly string[]): void => console.log(`| ${words.join(' | ')} |`)

/** Asks until `over` says so, with a pause after each answer. */
async function probe(port: number, over: () => boolean): Promise<Histogram> {
  const client = await WireClient.connect(port)
  const latencies = histogram()
  client.latencies = latencies
  while (!over()) {
    await client.send(encode('PING'), 1)
    await sleep(PROBE_PAUSE_MS)
  }
  client.close()
  return latencies
}

/** Appends to the streams with 50 clients and a pipeline of 16 for so long; resolves with how many. */
async function writeLoad(port: number, ms: number): Promise<number> {
  const words = ['-p', String(port), '-c', '50', '-P', '16', '-n', '1000000000', '-r', streams, '-q']
  const command = ['XADD', 'stream:__rand_int__', '*', 'field', 'x'.repeat(100)]
  const load = spawn('redis-benchmark', [...words, ...command], { stdio: 'ignore' })
  await sleep(ms)
  load.kill('SIGKILL')
  await once(load, 'exit')
  const client = await WireClient.connect(port)
  await client.send(encode('INFO', 'commandstats'), 1)
  client.close()
  return Number(/cmdstat_xadd:calls=(\d+)/.exec(client.last.toString())?.[1])
}

async function underWrites(name: PeerName): Promise<void> {
  const peer = new Peer(name, 'everysec')
  try {
    await peer.start()
    const admin = await WireClient.connect(peer.port)
    let over = false
    await writeLoad(peer.port, 2000)
    await admin.send(encode('CONFIG', 'RESETSTAT'), 1)
    await admin.send(encode('CONFIG', 'SET', 'latency-monitor-threshold', EVENTS_FROM_MS), 1)
    const probing = probe(peer.port, () => over)
    const written = await writeLoad(peer.port, seconds * 1000)
    over = true
    const seen = await probing
    row(name, 'PING beside it', `${Math.round(written / seconds)}`, ...cells(seen))
    if (name === 'millrace') {
      await admin.send(encode('INFO', 'stats'), 1)
      const told = (field: string) =>
        msOf(Number(new RegExp(`event_loop_${field}_usec:(\\d+)`).exec(admin.last.toString())?.[1]))
      row(
        name,
        'event loop, by INFO',
        '',
        told('delay_p50'),
        told('delay_p99'),
        '',
        told('delay_p9999'),
        told('delay_max'),
      )
      row(
        name,
        'its own work, by INFO',
        '',
        told('busy_p50'),
        told('busy_p99'),
        '',
        told('busy_p9999'),
        told('busy_max'),
      )
    }
    await admin.send(encode('LATENCY', 'LATEST'), 1)
    const events = admin.last.toString().matchAll(/\$\d+\r\n([a-z-]+)\r\n:\d+\r\n:\d+\r\n:(\d+)/g)
    const longest = Array.from(events, ([, event, ms]) => `${event} ${ms}`).join(', ')
    console.log(`${name}: longest of the events of ${EVENTS_FROM_MS} ms and more, in ms: ${longest || 'none'}`)
    admin.close()
  } finally {
    await peer.remove()
  }
}

const HEAD = [...PERCENTILES.map(percent => `p${percent} ms`), 'max ms']
const where = `${Number(streams).toLocaleString('en')} streams`
console.log(`Under as many writes as it takes (XADD, 50 clients, pipeline 16, ${where}, everysec):\n`)
row('server', 'who waits', 'XADD/s', ...HEAD)
row(...Array.from({ length: 8 }, () => '---'))
for (const name of PEERS) await underWrites(name)

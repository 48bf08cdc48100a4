// npm run bench:pauses [-- --seconds N --cold-mib N]: what clients wait for while a server is busy with others.
// First under as many writes as it takes: a client that asks PING now and then, on redis-server and on Millrace by
// turns, and what Millrace itself says of its event loop. Then fairness: clients on a few hot keys, alone and beside
// one that reads through streams several times as large as the page cache, again and again.

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
    'cold-mib': { type: 'string', default: '512' },
    /** Only reads through the cold streams of the server at this port: what the measuring process starts. */
    scan: { type: 'string', default: '' },
  },
})
const seconds = Number(options.seconds)
const coldBytes = Number(options['cold-mib']) * 1024 * 1024
const PERCENTILES = [50, 99, 99.9, 99.99] as const
const PROBE_PAUSE_MS = 1
const HOT_CLIENTS = 4
const COLD_STREAMS = 64
const ENTRY_BYTES = 1000
const BATCH = 500
const SCAN_COUNT = 100
const SELF = [process.argv[1]]

const histogram = (): Histogram => buildHistogram({ highestTrackableValue: 60_000_000 })
const msOf = (us: number): string => (us / 1000).toFixed(2)
const cells = (h: Histogram): string[] => [
  ...PERCENTILES.map(percent => msOf(h.getValueAtPercentile(percent))),
  msOf(h.maxValue),
]
const row = (...words: readonly string[]): void => console.log(`| ${words.join(' | ')} |`)

/** Asks until `over` says so, with a pause after each answer. */
async function probe(port: number, over: () => boolean, asked = encode('PING'), pauseMs = 0): Promise<Histogram> {
  const client = await WireClient.connect(port)
  const latencies = histogram()
  client.latencies = latencies
  while (!over()) {
    await client.send(asked, 1)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  client.close()
  return latencies
}

/** Appends to 1,000 streams with 50 clients and a pipeline of 16 for so long; resolves with how many. */
async function writeLoad(port: number, ms: number): Promise<number> {
  const words = ['-p', String(port), '-c', '50', '-P', '16', '-n', '1000000000', '-r', '1000', '-q']
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
    const probing = probe(peer.port, () => over, undefined, PROBE_PAUSE_MS)
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
    admin.close()
  } finally {
    await peer.remove()
  }
}

async function fillCold(port: number): Promise<void> {
  const client = await WireClient.connect(port)
  const perStream = Math.ceil(coldBytes / COLD_STREAMS / ENTRY_BYTES)
  for (let stream = 0; stream < COLD_STREAMS; stream++) {
    for (let done = 0; done < perStream; done += BATCH) {
      // Text that packs badly, as cold data do.
      const value = (i: number) => `${done + i}:`.padEnd(ENTRY_BYTES, ((done + i) * 2654435761).toString(36))
      const adds = Array.from({ length: BATCH }, (_, i) => encode('XADD', `cold:${stream}`, '*', 'field', value(i)))
      await client.send(Buffer.concat(adds), BATCH)
    }
  }
  for (let i = 0; i < HOT_CLIENTS; i++) await client.send(encode('SET', `hot:${i}`, 'x'.repeat(100)), 1)
  client.close()
}

/** In a process of its own, which must not keep the measuring one from looking at its clock. Until it is killed. */
async function scan(port: number): Promise<void> {
  const client = await WireClient.connect(port)
  for (let stream = 0; ; stream = (stream + 1) % COLD_STREAMS) {
    for (let from = '-'; ;) {
      await client.send(encode('XRANGE', `cold:${stream}`, from, '+', 'COUNT', SCAN_COUNT), 1)
      const last = /\r\n(\d+-\d+)\r\n(?!.*\r\n\d+-\d+\r\n)/s.exec(
        client.last.toString('latin1', client.last.length - 2200),
      )
      if (last === null) break
      from = `(${last[1]}`
    }
  }
}

async function rangesOf(port: number): Promise<number> {
  const client = await WireClient.connect(port)
  await client.send(encode('INFO', 'commandstats'), 1)
  client.close()
  return Number(/cmdstat_xrange:calls=(\d+)/.exec(client.last.toString())?.[1] ?? 0)
}

async function hot(port: number, ms: number): Promise<Histogram> {
  const until = performance.now() + ms
  const over = () => performance.now() > until
  const all = histogram()
  const each = Array.from({ length: HOT_CLIENTS }, (_, i) =>
    probe(port, over, encode('GET', `hot:${i}`), PROBE_PAUSE_MS),
  )
  for (const one of await Promise.all(each)) all.add(one)
  return all
}

async function fairness(name: PeerName): Promise<void> {
  const peer = new Peer(name, 'everysec')
  try {
    await peer.start()
    await fillCold(peer.port)
    await peer.settle()
    await hot(peer.port, 1000)
    const alone = await hot(peer.port, (seconds * 1000) / 2)
    const before = await rangesOf(peer.port)
    const scanning = spawn(process.execPath, [...process.execArgv, ...SELF, '--scan', String(peer.port)], {
      stdio: 'inherit',
    })
    while ((await rangesOf(peer.port)) === before) await sleep(10)
    const from = await rangesOf(peer.port)
    const beside = await hot(peer.port, (seconds * 1000) / 2)
    const ranges = (await rangesOf(peer.port)) - from
    scanning.kill('SIGKILL')
    row(name, 'alone', '', ...cells(alone))
    row(name, 'beside a scan', `${Math.round((2 * SCAN_COUNT * ranges) / seconds)}`, ...cells(beside))
    const ratio = beside.getValueAtPercentile(99) / alone.getValueAtPercentile(99)
    console.log(`${name}: the p99 of hot keys beside a scan is ${ratio.toFixed(2)} times that alone`)
  } finally {
    await peer.remove()
  }
}

if (options.scan !== '') await scan(Number(options.scan))
const HEAD = [...PERCENTILES.map(percent => `p${percent} ms`), 'max ms']
console.log('Under as many writes as it takes (XADD, 50 clients, pipeline 16, 1,000 streams, everysec):\n')
row('server', 'who waits', 'XADD/s', ...HEAD)
row(...Array.from({ length: 8 }, () => '---'))
for (const name of PEERS) await underWrites(name)
console.log(`\nHot keys beside a scan of ${options['cold-mib']} MiB of streams (page cache 64 MiB):\n`)
row('server', 'GET of hot keys', 'entries read/s', ...HEAD)
row(...Array.from({ length: 8 }, () => '---'))
for (const name of PEERS) await fairness(name)

// How cost grows: the same command over ever more entries, streams, clients and bytes. Each row is one point of a
// curve. Run with --growth.

import { createHash } from 'node:crypto'
import { benchmark, timed, warmUpCommands } from './load.js'
import type { Row } from './load.js'
import { ENTRY, fill, V16, xautoclaim } from './rows.js'
import { encode, WireClient } from './wire-client.js'

const ENTRIES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
const STREAMS = [1, 100, 10_000, 100_000]
const CLIENTS = [1, 10, 100, 1_000, 10_000]
const VALUE_BYTES = [16, 256, 4_096, 65_536, 1_048_576]
const READ_COUNT = 100
const OPERATIONS = 500_000
/** Bytes sent in one point of the curve over value sizes, at most. */
const VALUE_VOLUME_BYTES = 2 ** 30

const APPEND = `return redis.call('XADD', KEYS[1], '*', 'field', ARGV[1]) and redis.call('XLEN', KEYS[1])`
const APPEND_SHA = createHash('sha1').update(APPEND).digest('hex')

type Point = Pick<Row, 'unit' | 'operations' | 'measure' | 'warmUp'> & Partial<Pick<Row, 'prepare'>>

function curve(name: string, xName: string, x: number, what: string, point: Point): Row {
  const label = x.toLocaleString('en')
  return {
    name: `${name}@${x}`,
    what: `${what}, ${xName}: ${label}`,
    fsync: 'everysec',
    curve: { name, x, xName },
    ...point,
  }
}

const warmXadd = (port: number) => benchmark(port, warmUpCommands(16), 50, 16, ['XADD', 'warm', '*', ...ENTRY])

function xaddOnto(entries: number): Row {
  return curve('xadd-by-entries', 'entries in the stream before', entries, 'XADD, 50 clients, pipeline 16', {
    unit: 'XADD',
    operations: OPERATIONS,
    prepare: port => fill(port, 1, entries),
    warmUp: warmXadd,
    measure: (port, n) => benchmark(port, n, 50, 16, ['XADD', 'stream', '*', ...ENTRY]),
  })
}

function xaddOver(streams: number): Row {
  return curve('xadd-by-streams', 'streams', streams, 'XADD, 50 clients, pipeline 16', {
    unit: 'XADD',
    operations: OPERATIONS,
    warmUp: async port => {
      await warmXadd(port)
      await benchmark(
        port,
        Math.max(streams * 4, 10_000),
        50,
        16,
        ['XADD', 'stream:__rand_int__', '*', ...ENTRY],
        streams,
      )
    },
    measure: (port, n) => benchmark(port, n, 50, 16, ['XADD', 'stream:__rand_int__', '*', ...ENTRY], streams),
  })
}

function xaddBy(clients: number): Row {
  return curve('xadd-by-clients', 'clients', clients, 'XADD, pipeline 1', {
    unit: 'XADD',
    operations: OPERATIONS / 2,
    warmUp: warmXadd,
    measure: (port, n) => benchmark(port, n, clients, 1, ['XADD', 'stream', '*', ...ENTRY]),
  })
}

function xaddOf(bytes: number): Row {
  return curve('xadd-by-value-bytes', 'bytes of the value', bytes, 'XADD of one field, 50 clients, pipeline 1', {
    unit: 'XADD',
    operations: Math.min(OPERATIONS / 4, Math.ceil(VALUE_VOLUME_BYTES / bytes)),
    warmUp: warmXadd,
    measure: (port, n) => benchmark(port, n, 50, 1, ['XADD', 'stream', '*', 'field', 'x'.repeat(bytes)]),
  })
}

/** Reads and acknowledges the last entries of a stream of `entries`. */
function groupOn(entries: number, step: 'XREADGROUP' | 'XACK'): Row {
  const count = Math.min(entries, 100_000)
  const run = async (port: number, stream: string, size: number, n: number, group: string) => {
    const client = await WireClient.connect(port)
    await client.send(encode('XGROUP', 'CREATE', stream, group, `${size - n}-0`), 1)
    const read = encode('XREADGROUP', 'GROUP', group, 'worker', 'COUNT', READ_COUNT, 'STREAMS', stream, '>')
    const reads = n / READ_COUNT
    const readAll = async (by: WireClient) => {
      for (let i = 0; i < reads; i++) await by.send(read, 1)
    }
    if (step === 'XREADGROUP') {
      client.close()
      return timed(port, n, readAll)
    }
    await readAll(client)
    client.close()
    const acks: Buffer[] = []
    for (let first = size - n + 1; first <= size; first += READ_COUNT) {
      acks.push(encode('XACK', stream, group, ...Array.from({ length: READ_COUNT }, (_, i) => `${first + i}-0`)))
    }
    return timed(port, n, async by => {
      for (const ack of acks) await by.send(ack, 1)
    })
  }
  return curve(`${step.toLowerCase()}-by-entries`, 'entries in the stream', entries, `${step} of ${READ_COUNT}`, {
    unit: 'entry',
    operations: count,
    prepare: port => fill(port, 1, entries),
    async warmUp(port) {
      await fill(port, 1, 100_000, 'warm')
      for (const group of ['one', 'two', 'three']) await run(port, 'warm', 100_000, 100_000, group)
    },
    measure: (port, n) => run(port, 'stream', entries, n, 'group'),
  })
}

function scriptOn(entries: number): Row {
  const run = (port: number, n: number, key: string) =>
    benchmark(port, n, 50, 16, ['EVALSHA', APPEND_SHA, '1', key, V16])
  return curve('evalsha-by-entries', 'entries in the stream before', entries, 'EVALSHA of XADD and XLEN', {
    unit: 'EVALSHA',
    operations: OPERATIONS / 2,
    prepare: port => fill(port, 1, entries),
    async warmUp(port) {
      const client = await WireClient.connect(port)
      await client.send(encode('SCRIPT', 'LOAD', APPEND), 1)
      client.close()
      await run(port, warmUpCommands(16), 'warm')
    },
    measure: (port, n) => run(port, n, 'stream'),
  })
}

function claimAmong(pending: number): Row {
  const name = 'xautoclaim-by-pending'
  const row = xautoclaim(pending)
  return { ...row, name: `${name}@${pending}`, curve: { name, x: pending, xName: 'busy pending entries' } }
}

export const growthRows: readonly Row[] = [
  ...ENTRIES.map(xaddOnto),
  ...STREAMS.map(xaddOver),
  ...CLIENTS.map(xaddBy),
  ...VALUE_BYTES.map(xaddOf),
  ...ENTRIES.map(entries => groupOn(entries, 'XREADGROUP')),
  ...ENTRIES.map(entries => groupOn(entries, 'XACK')),
  ...ENTRIES.map(claimAmong),
  ...ENTRIES.map(scriptOn),
]

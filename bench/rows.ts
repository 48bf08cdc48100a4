// The rows of the benchmark: what is loaded first, what is measured, how many operations that is.

import { createHash } from 'node:crypto'
import { benchmark, timed, WARM_UP_COMMANDS, warmUpCommands } from './load.js'
import type { Row } from './load.js'
import { mailboxRows } from './mailbox-rows.js'
import type { Fsync } from './peer.js'
import { bullmqRows } from './bullmq-rows.js'
import { fairnessRows } from './fairness-rows.js'
import { typeRows } from './type-rows.js'
import { encode, WireClient } from './wire-client.js'

export const V16 = 'abcdefghijklmnop'
export const ENTRY = ['field-a-16-bytes', V16, 'field-b-16-bytes', V16] as const
const LOAD_BATCH = 500

/** Fills `streams` streams with `entries` entries each; IDs 1-0 … entries-0. */
export async function fill(port: number, streams: number, entries: number, name = 'stream'): Promise<void> {
  const client = await WireClient.connect(port)
  let batch: Buffer[] = []
  const flush = async () => {
    await client.send(Buffer.concat(batch), batch.length)
    batch = []
  }
  for (let i = 1; i <= entries; i++) {
    for (let s = 0; s < streams; s++) {
      batch.push(encode('XADD', streams === 1 ? name : `${name}:${s}`, `${i}-0`, ...ENTRY))
      if (batch.length === LOAD_BATCH) await flush()
    }
  }
  if (batch.length > 0) await flush()
  client.close()
}

function xadd(name: string, clients: number, pipeline: number, fsync: Fsync, operations: number, keys?: number): Row {
  const key = keys === undefined ? 'stream' : 'stream:__rand_int__'
  const where = keys === undefined ? 'one stream' : `${keys.toLocaleString('en')} streams`
  return {
    name,
    what: `XADD of two 16-byte fields, ${where}, ${clients} clients, pipeline ${pipeline}, ${fsync}`,
    unit: 'XADD',
    fsync,
    operations,
    warmUp: port => benchmark(port, warmUpCommands(pipeline), clients, pipeline, ['XADD', 'warm', '*', ...ENTRY]),
    measure: (port, n) => benchmark(port, n, clients, pipeline, ['XADD', key, '*', ...ENTRY], keys),
  }
}

function plain(name: string, pipeline: number, command: string[], operations: number): Row {
  return {
    name,
    what: `${command[0]} of 16 bytes over 100,000 keys, 50 clients, pipeline ${pipeline}, everysec`,
    unit: command[0],
    fsync: 'everysec',
    operations,
    prepare:
      command[0] === 'GET'
        ? async (port, n) => void (await benchmark(port, n, 50, 16, ['SET', 'key:__rand_int__', V16], 100_000))
        : undefined,
    warmUp: port => benchmark(port, warmUpCommands(pipeline), 50, pipeline, command, 100_000),
    measure: (port, n) => benchmark(port, n, 50, pipeline, command, 100_000),
  }
}

function readGroup(count: number, operations: number): Row {
  const measure = async (port: number, entries: number, stream: string, group: string) => {
    const read = encode('XREADGROUP', 'GROUP', group, 'worker', 'COUNT', count, 'STREAMS', stream, '>')
    // Made before the clock runs: what the client needs to write IDs says nothing about the server.
    const acks: Buffer[] = []
    for (let first = 1; first <= entries; first += count) {
      acks.push(encode('XACK', stream, group, ...Array.from({ length: count }, (_, i) => `${first + i}-0`)))
    }
    const maker = await WireClient.connect(port)
    await maker.send(encode('XGROUP', 'CREATE', stream, group, '0'), 1)
    maker.close()
    return timed(port, entries, async client => {
      for (const ack of acks) {
        await client.send(read, 1)
        await client.send(ack, 1)
      }
    })
  }
  return {
    name: `xreadgroup-${count}-xack`,
    what: `XREADGROUP COUNT ${count}, then one XACK of those IDs; one client, everysec`,
    unit: 'entry',
    fsync: 'everysec',
    operations,
    prepare: (port, n) => fill(port, 1, n),
    async warmUp(port) {
      await fill(port, 1, WARM_UP_COMMANDS, 'warm')
      for (const group of ['one', 'two', 'three']) await measure(port, WARM_UP_COMMANDS, 'warm', group)
    },
    measure: (port, n) => measure(port, n, 'stream', 'group'),
  }
}

function xrange(count: number, calls: number): Row {
  const entries = 100_000
  const measure = (port: number, n: number) =>
    timed(port, n, async client => {
      for (let i = 0; i < n; i++) {
        const start = 1 + ((i * 7919) % (entries - count))
        await client.send(encode('XRANGE', 'stream', `${start}-0`, '+', 'COUNT', count), 1)
      }
    })
  return {
    name: `xrange-${count}`,
    what: `XRANGE COUNT ${count} at moving places of a stream of 100,000 entries; one client`,
    unit: 'call',
    fsync: 'everysec',
    operations: calls,
    prepare: port => fill(port, 1, entries),
    warmUp: port => measure(port, calls / 5),
    measure,
  }
}

/** The watermark of a mailbox shard: read, advance, note the shard, look at it, forget it. */
const WATERMARK = `
local seen = redis.call('HGET', KEYS[1], 'seen') or '0'
local next = redis.call('HINCRBY', KEYS[1], 'next', 1)
redis.call('HSET', KEYS[1], 'seen', ARGV[1])
redis.call('SADD', KEYS[2], ARGV[2])
local shards = redis.call('SCARD', KEYS[2])
redis.call('SREM', KEYS[2], ARGV[2])
return {seen, next, shards}`
/** Cuts a blob into pieces, joins them, adds up bytes. */
const TEXT = `
local blob, pieces, sum = ARGV[1], {}, 0
for i = 1, #blob, 64 do pieces[#pieces + 1] = blob:sub(i, i + 31) end
local joined = table.concat(pieces, ',')
for i = 1, #joined, 16 do sum = sum + joined:byte(i) end
return sum`

function script(name: string, what: string, source: string, operations: number, ...args: (string | number)[]): Row {
  const digest = createHash('sha1').update(source).digest('hex')
  return {
    name,
    what: `EVALSHA: ${what}; 50 clients, pipeline 16, everysec`,
    unit: 'EVALSHA',
    fsync: 'everysec',
    operations,
    async warmUp(port) {
      const client = await WireClient.connect(port)
      await client.send(encode('SCRIPT', 'LOAD', source), 1)
      client.close()
      await benchmark(port, warmUpCommands(16), 50, 16, ['EVALSHA', digest, ...args.map(String)])
    },
    measure: (port, n) => benchmark(port, n, 50, 16, ['EVALSHA', digest, ...args.map(String)]),
  }
}

const IDLE = 100
export function xautoclaim(busy: number): Row {
  const measure = (port: number, n: number) =>
    timed(port, n, async client => {
      for (let i = 0; i < n; i++) {
        const ids = Array.from({ length: IDLE }, (_, k) => `${busy + 1 + k}-0`)
        await client.send(
          encode('XCLAIM', 'stream', 'group', 'dead', 0, ...ids, 'IDLE', 10_000_000, 'RETRYCOUNT', 1, 'JUSTID'),
          1,
        )
        let cursor = '0-0'
        do {
          await client.send(
            encode('XAUTOCLAIM', 'stream', 'group', 'alive', 5_000_000, cursor, 'COUNT', IDLE, 'JUSTID'),
            1,
          )
          cursor = /^\*3\r\n\$\d+\r\n(\S+)/.exec(client.last.toString('latin1', 0, 64))![1]
        } while (cursor !== '0-0')
      }
    })
  return {
    name: `xautoclaim-${busy}`,
    what: `XAUTOCLAIM loops from 0-0 until ${IDLE} idle rows behind ${busy.toLocaleString('en')} busy ones are claimed`,
    unit: 'loop',
    fsync: 'everysec',
    operations: busy > 10_000 ? 3 : 300,
    async prepare(port) {
      await fill(port, 1, busy + IDLE)
      const client = await WireClient.connect(port)
      await client.send(encode('XGROUP', 'CREATE', 'stream', 'group', '0'), 1)
      for (let left = busy + IDLE; left > 0; left -= 10_000) {
        await client.send(encode('XREADGROUP', 'GROUP', 'group', 'dead', 'COUNT', 10_000, 'STREAMS', 'stream', '>'), 1)
      }
      client.close()
    },
    warmUp: port => measure(port, 3),
    measure,
  }
}

export const rows: readonly Row[] = [
  xadd('xadd-p16', 50, 16, 'everysec', 2_000_000),
  xadd('xadd-p16-100k-streams', 50, 16, 'everysec', 2_000_000, 100_000),
  xadd('xadd-p1', 50, 1, 'everysec', 400_000),
  plain('set-p1', 1, ['SET', 'key:__rand_int__', V16], 400_000),
  plain('get-p1', 1, ['GET', 'key:__rand_int__'], 400_000),
  plain('set-p16', 16, ['SET', 'key:__rand_int__', V16], 2_000_000),
  plain('get-p16', 16, ['GET', 'key:__rand_int__'], 2_000_000),
  xadd('xadd-always-p1', 50, 1, 'always', 200_000),
  xadd('xadd-always-p16', 50, 16, 'always', 1_000_000),
  readGroup(100, 500_000),
  readGroup(1000, 1_000_000),
  xrange(100, 20_000),
  xrange(1000, 5_000),
  xautoclaim(1_000),
  xautoclaim(1_000_000),
  script('script-noop', 'return 1', 'return 1', 1_000_000, 0),
  script('script-watermark', 'a watermark in six calls', WATERMARK, 300_000, 2, 'mailbox', 'shards', '42', 'shard'),
  script('script-text', 'string work on 1,216 bytes', TEXT, 300_000, 0, 'x'.repeat(1216)),
  ...fairnessRows,
  ...bullmqRows,
  ...typeRows,
  ...mailboxRows,
]

// RESTORE for the generator: payloads onto keys that other commands use, so that what was restored is then changed and
// read like everything else. DUMP's own bytes are compared in test/types/rdb: Redis compresses them.

import { idOf } from '../../src/base/stream-id.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { dumpOf } from '../../src/types/rdb/dump-payload.js'
import { HashValue } from '../../src/types/hash/hash-value.js'
import { ListValue } from '../../src/types/list/list-value.js'
import { SetValue } from '../../src/types/set/set-value.js'
import { Stream } from '../../src/types/stream/stream.js'
import { StringValue } from '../../src/types/string/string-value.js'
import { ZsetValue } from '../../src/types/zset/zset-value.js'
import type { Argument, Generator, Kind } from './generator.js'

const BYTES_MAX = 1_000_000
const DELIVERED_MS = 1_700_000_000_000
const NODE_ENTRIES_MAX = 5

const rows = new MemoryRows()

function set(members: readonly string[]): SetValue {
  const value = SetValue.create(rows)
  for (const member of members) value.add(member, 512)
  return value
}

function hash(fields: number): HashValue {
  const value = HashValue.create(rows)
  const limits = { entriesMax: 128, valueBytesMax: 64 }
  for (let i = 0; i < fields; i++) value.set(`f${i}`, String(i), limits)
  return value
}

function list(elements: number): ListValue {
  const value = ListValue.create(rows)
  for (let i = 0; i < elements; i++) value.pushLast(Buffer.from(i % 3 === 0 ? String(i) : `element ${i}`))
  return value
}

function zset(members: number): ZsetValue {
  const limits = { entriesMax: 128, memberBytesMax: 64 }
  const scores = [-Infinity, -1.5, 0, 3, 7e18, Infinity]
  const all = Array.from({ length: members }, (_, i) => ({ member: `m${i}`, score: scores[i] ?? i % 50 }))
  return ZsetValue.of(rows, all, limits)
}

function stream(entries: number): Stream {
  const value = Stream.create(rows)
  const limits = { entriesMax: NODE_ENTRIES_MAX, bytesMax: 4096 }
  for (let i = 1; i <= entries; i++) {
    const fields = Buffer.from(`$1\r\nf\r\n$${String(i).length}\r\n${i}\r\n`)
    value.append(idOf(i), 1, fields, 0, fields.length, limits)
  }
  const group = value.createGroup('g1', idOf(Math.floor(entries / 2)), undefined)
  const { consumer } = group.ensureConsumer('c1', DELIVERED_MS)
  group.ensureConsumer('c2', DELIVERED_MS)
  for (let i = 1; i <= entries / 2; i += 2) group.setPending(idOf(i), consumer, DELIVERED_MS, i)
  return value
}

/** Of each type small ones, and one that outgrows its row or node. */
const STREAMS = [stream(0), stream(3), stream(23), stream(150)].map(value => dumpOf(value, BYTES_MAX))
const SETS = [['1', '-7', '70000'], ['5', 'm1', 'm2'], Array.from({ length: 900 }, (_, i) => `m${i}`)].map(members =>
  dumpOf(set(members), BYTES_MAX),
)
const HASHES = [hash(3), hash(140), hash(900)].map(value => dumpOf(value, BYTES_MAX))
const LISTS = [list(3), list(60), list(2000)].map(value => dumpOf(value, BYTES_MAX))
const ZSETS = [zset(5), zset(140), zset(1200)].map(value => dumpOf(value, BYTES_MAX))
const STRINGS = ['', '12', 'text'].map(content => dumpOf(StringValue.create(rows, content), BYTES_MAX))

/** Mostly without expiry, which would come sooner or later on one of the servers. */
function restore(g: Generator, key: Argument, payloads: readonly Buffer[]): Argument[] {
  const absolute: Argument[] = [g.rng.pick<Argument>([0, 1, 33177117420000, 'x', -1]), g.rng.pick(payloads), 'ABSTTL']
  const time = g.rng.chance(0.85) ? [0, g.rng.pick(payloads)] : absolute
  return ['RESTORE', key, ...time, ...g.maybe(0.7, 'REPLACE'), ...g.maybe(0.1, 'IDLETIME', g.rng.between(-1, 9))]
}

export const dumpKinds: readonly Kind[] = [
  { weight: 4, make: g => restore(g, g.key(), STREAMS) },
  { weight: 1, make: g => restore(g, g.key(), STRINGS) },
  { weight: 1, make: g => restore(g, g.rng.pick(['t1', 't2', 't3']), SETS) },
  { weight: 1, make: g => restore(g, g.rng.pick(['h1', 'h2', 'h3']), HASHES) },
  { weight: 1, make: g => restore(g, g.rng.pick(['l1', 'l2', 'l3']), LISTS) },
  { weight: 1, make: g => restore(g, g.rng.pick(['z1', 'z2', 'z3']), ZSETS) },
]

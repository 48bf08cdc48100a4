import t from 'tap'
import type { Redis } from 'ioredis'
import { idOf, ID_MAX, ID_MIN } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { valueOf } from '../../../src/types/rdb/dump-payload.js'
import { ListpackWriter } from '../../../src/types/rdb/listpack.js'
import { PayloadError } from '../../../src/types/rdb/payload-error.js'
import { RdbWriter } from '../../../src/types/rdb/rdb-writer.js'
import { digestOfId } from '../../../src/types/stream/idempotence.js'
import type { Stream } from '../../../src/types/stream/stream.js'
import { findRedisServer } from '../../support/redis-server.js'
import { seeded } from '../../support/seeded.js'
import type { Seeded } from '../../support/seeded.js'
import {
  append,
  edgeInteger,
  edgeValue,
  entryWire,
  LIMITS,
  reopened,
  startTwin,
  textOf,
} from '../stream/stream-fixture.js'
import type { RedisTwin } from '../stream/stream-fixture.js'
import { bodyOf, damages, dumped, PACKING, payloadOf, restored, rowCountOf } from './rdb-fixture.js'

const needsRedis = { skip: findRedisServer() === undefined ? 'no redis-server on this machine' : false }

async function dumpFrom(redis: Redis, key: string): Promise<Buffer> {
  return (await redis.callBuffer('DUMP', key)) as Buffer
}

/** Everything that clients of Redis can see of a stream; times of consumers as distances would differ. */
/**
 * What clients see of a stream. Without `nodes` the counts of nodes are left out: a trim by ID can leave Redis with a
 * node in which everything is deleted, and a dump of ours has no such nodes.
 */
async function seen(redis: Redis, key: string, nodes: boolean): Promise<unknown> {
  const full = (await redis.callBuffer('XINFO', 'STREAM', key, 'FULL', 'COUNT', 0)) as unknown[]
  if (!nodes) full.splice(2, 4) // radix-tree-keys, radix-tree-nodes
  const entries = await redis.callBuffer('XRANGE', key, '-', '+')
  return [latin1(full), latin1(entries)]
}

function latin1(answer: unknown): unknown {
  if (Buffer.isBuffer(answer)) return answer.toString('latin1')
  return Array.isArray(answer) ? answer.map(latin1) : answer
}

/** Some commands on the stream `x`; those that Redis refuses are part of the game. */
function commands(random: Seeded, deletes: boolean): (string | number | Buffer)[][] {
  const lines: (string | number | Buffer)[][] = []
  const fields = Array.from({ length: random.between(1, 4) }, () => edgeValue(random))
  const ids: string[] = []
  let ms = random.chance(0.2) ? 2n ** 64n - 5000n : BigInt(random.between(1, 2000))
  const consumer = () => random.pick(['c', '7', 'consumer', ''])
  for (const group of ['g', '42', 'idle']) lines.push(['XGROUP', 'CREATE', 'x', group, 0, 'MKSTREAM'])
  for (let i = random.between(0, 250); i > 0; i--) {
    ms += BigInt(random.pick([0, 1, 1, 5, 19]))
    const id = `${ms}-${random.chance(0.1) ? (edgeInteger(random) & 0xffffffffffffn) + BigInt(i) : ids.length + 1}`
    const own = random.chance(0.7) ? fields : Array.from({ length: random.between(1, 5) }, () => edgeValue(random))
    lines.push(['XADD', 'x', id, ...own.flatMap(field => [field, edgeValue(random)])])
    ids.push(id)
    const some = () => random.pick(ids)
    const group = random.pick(['g', '42'])
    const dice = random.below(30)
    if (dice < 3)
      lines.push(['XREADGROUP', 'GROUP', group, consumer(), 'COUNT', random.between(1, 9), 'STREAMS', 'x', '>'])
    else if (dice === 4) lines.push(['XACK', 'x', group, some(), some(), some()])
    else if (dice === 5)
      lines.push(['XCLAIM', 'x', group, consumer(), 0, some(), some(), 'RETRYCOUNT', random.below(99)])
    else if (dice === 6) lines.push(['XGROUP', 'CREATECONSUMER', 'x', group, consumer()])
    else if (dice === 7) lines.push(['XGROUP', 'SETID', 'x', group, some(), 'ENTRIESREAD', random.between(-1, 30)])
    else if (dice === 8) lines.push(['CONFIG', 'SET', 'stream-node-max-entries', random.pick([1, 5, 100])])
    else if (deletes && dice < 12) lines.push(['XDEL', 'x', some(), some(), ids[ids.length - 1]])
    else if (deletes && dice === 12) lines.push(['XTRIM', 'x', 'MAXLEN', random.pick(['=', '~']), random.below(60)])
    else if (deletes && dice === 13) lines.push(['XTRIM', 'x', 'MINID', '=', some()])
  }
  return lines
}

async function play(twin: RedisTwin, lines: readonly (string | number | Buffer)[][]): Promise<void> {
  const pipeline = twin.client.pipeline()
  pipeline.flushall()
  pipeline.config('SET', 'sanitize-dump-payload', 'yes')
  for (const [name, ...args] of lines) pipeline.call(String(name), ...args)
  await pipeline.exec()
}

t.test('a stream goes to redis-server and back', needsRedis, async t => {
  const twin = await startTwin()
  t.teardown(() => twin.stop())
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 30; round++) {
    const deletes = round % 2 === 1
    const lines = commands(random, deletes)
    await play(twin, lines)
    await twin.client.config('SET', 'rdbcompression', round % 3 === 0 ? 'yes' : 'no')
    const theirs = await dumpFrom(twin.client, 'x')
    await twin.client.config('SET', 'rdbcompression', 'no')
    const rows = new MemoryRows()
    const stream = restored(rows, theirs) as Stream
    const ours = dumped(reopened(rows, stream))
    if (!deletes) t.ok(ours.equals(await dumpFrom(twin.client, 'x')), `round ${round}: the dump is Redis' own`)
    await twin.client.callBuffer('RESTORE', 'y', 0, ours)
    const [copy, source] = [await seen(twin.client, 'y', !deletes), await seen(twin.client, 'x', !deletes)]
    t.same(copy, source, `round ${round}: it is the same stream`)
  }
})

t.test('macro nodes are those of the dump, and the open one goes on', needsRedis, async t => {
  const twin = await startTwin()
  t.teardown(() => twin.stop())
  await twin.client.config('SET', 'stream-node-max-entries', 7)
  for (let i = 1; i <= 40; i++) await twin.client.xadd('x', `${i}-0`, 'field', `value ${i}`)
  await twin.client.xdel('x', '8-0', '9-0', '36-0')
  const stream = restored(new MemoryRows(), await dumpFrom(twin.client, 'x')) as Stream
  t.same(
    [...stream.macroNodes()].map(node => [node.firstId.msLo, node.live]),
    [
      [1, 7],
      [8, 5],
      [15, 7],
      [22, 7],
      [29, 7],
      [36, 4],
    ],
  )
  for (let i = 41; i <= 60; i++) {
    append(stream, idOf(i), ['field', `value ${i}`], { entriesMax: 7, bytesMax: 4096 })
    await twin.client.xadd('x', `${i}-0`, 'field', `value ${i}`)
  }
  for (const length of [50, 41, 33, 20, 4]) {
    const removed = await twin.client.xtrim('x', 'MAXLEN', '~', length)
    t.equal(stream.trim({ by: 'maxlen', length, approximate: true, limit: 0 }), removed, `trimmed to ${length}`)
  }
})

t.test('a stream survives its own dump', async t => {
  const rows = new MemoryRows()
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const empty = restored(rows, dumped(restored(rows, emptyStream()))) as Stream
  t.same([empty.length, empty.nodeCount, empty.groupCount], [0, 0, 0])

  const stream = restored(rows, emptyStream()) as Stream
  for (let i = 1; i <= 500; i++) append(stream, idOf(i, i), ['f', edgeValue(random)], LIMITS)
  stream.delete(idOf(1, 1))
  stream.delete(idOf(500, 500))
  const group = stream.createGroup('g', idOf(300, 300), undefined)
  const { consumer } = group.ensureConsumer('someone', 1_700_000_000_000)
  group.ensureConsumer('nobody', 5)
  for (let i = 2; i <= 300; i++) group.setPending(idOf(i, i), consumer, 1_700_000_000_000 + i, i % 7)
  group.setPending(idOf(999), consumer, 0, 2n ** 62n)
  const twin = reopened(rows, restored(rows, dumped(stream)) as Stream)
  t.ok(dumped(twin).equals(dumped(stream)))
  t.equal(textOf(twin.range(ID_MIN, ID_MAX, 1000)), textOf(stream.range(ID_MIN, ID_MAX, 1000)))
  t.same(
    [twin.lastId, twin.maxDeletedId, twin.entriesAdded, twin.nodeCount],
    [stream.lastId, stream.maxDeletedId, stream.entriesAdded, stream.nodeCount],
  )
  const pending = twin.group('g')!.pending(idOf(999))!
  t.same([pending.ownerName, pending.deliveredMs, pending.deliveries], ['someone', 0, 2n ** 62n])
  t.equal(twin.group('g')!.consumer('someone')!.pendingCount, 300)
  t.equal(twin.group('g')!.consumer('nobody')!.seenMs, 5)
})

/** What DUMP gives of a stream that lost its entries and groups. */
function emptyStream(): Buffer {
  return payloadOf(Buffer.from([19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
}

/** A dump as Redis 5, 7.2, 8.6 and 8.8 make it: three entries, one of them deleted, and a group. */
function otherVersion(code: 15 | 21 | 26 | 27, ids: readonly number[] = [7], released: readonly number[] = []): Buffer {
  const writer = new RdbWriter(10_000)
  writer.u8(code)
  writer.length(1)
  writer.length(16)
  writer.rawId(idOf(5))
  writer.string(threeEntries())
  writer.length(2)
  writer.id(idOf(9, 3))
  if (code >= 21) {
    writer.id(idOf(5))
    writer.id(idOf(6))
    writer.length(3)
  }
  writer.length(1)
  writer.text('group')
  writer.id(idOf(7))
  if (code >= 21) writer.length(2n ** 64n - 1n)
  writer.length(ids.length)
  for (const id of ids) {
    writer.rawId(idOf(id))
    writer.int64(1234)
    writer.length(2)
  }
  writer.length(2)
  for (const [name, activeMs, owned] of [['a', 4000, [7]] as const, ['b', -1, []] as const]) {
    writer.text(name)
    writer.int64(5000)
    if (code >= 21) writer.int64(activeMs)
    writer.length(owned.length)
    for (const id of owned) writer.rawId(idOf(id))
  }
  if (code === 27) {
    writer.length(released.length)
    for (const id of released) writer.rawId(idOf(id))
  }
  if (code >= 26) {
    for (const figure of [60, 50, 1]) writer.length(figure)
    writer.text('producer')
    writer.length(2)
    writer.text('first')
    writer.id(idOf(5))
    writer.text('12')
    writer.id(idOf(7))
    for (const figure of [12, 3]) writer.length(figure)
  }
  return payloadOf(writer.done(), { 15: 9, 21: 11, 26: 13, 27: 14 }[code])
}

function threeEntries(): Buffer {
  const listpack = new ListpackWriter()
  const text = (word: string) => listpack.bytes(Buffer.from(word), 0, word.length)
  for (const head of [2, 1, 1]) listpack.integer(head)
  text('f')
  listpack.integer(0)
  for (const [flags, ms] of [[2, 0] as const, [3, 1] as const, [2, 2] as const]) {
    for (const part of [flags, ms, 0]) listpack.integer(part)
    text(`v${ms}`)
    listpack.integer(4)
  }
  return Buffer.from(listpack.done())
}

t.test('dumps of Redis 5 have no counters: they are told from the entries', async t => {
  const rows = new MemoryRows()
  const stream = reopened(rows, restored(rows, otherVersion(15)) as Stream)
  t.equal(textOf(stream.range(ID_MIN, ID_MAX, 9)), entryWire(idOf(5), ['f', 'v0']) + entryWire(idOf(7), ['f', 'v2']))
  t.same([stream.lastId, stream.maxDeletedId, stream.entriesAdded], [idOf(9, 3), ID_MIN, 2])
  const group = stream.group('group')!
  t.same([group.entriesRead, group.estimatedLag(), group.pendingCount], [undefined, undefined, 1])
  t.same([group.consumer('a')!.seenMs, group.consumer('a')!.activeMs], [5000, 5000])
})

t.test('dumps of Redis 7.2 say when a consumer was active', async t => {
  const group = (restored(new MemoryRows(), otherVersion(21)) as Stream).group('group')!
  t.equal(group.entriesRead, undefined)
  t.same([group.consumer('a')!.seenMs, group.consumer('a')!.activeMs], [5000, 4000])
  t.same([group.consumer('b')!.seenMs, group.consumer('b')!.activeMs], [5000, undefined])
})

t.test('dumps of Redis 8.6 tell of producers, those of 8.8 of what was released, and in which order', async t => {
  for (const code of [26, 27] as const) {
    const rows = new MemoryRows()
    const released = code === 27 ? [8, 6] : []
    const stream = reopened(rows, restored(rows, otherVersion(code, code === 27 ? [6, 7, 8] : [7], released)) as Stream)
    const figures = stream.idempotence.figures(5, { durationS: 1, sizeMax: 1 })
    t.same(figures, { durationS: 60, sizeMax: 50, producers: 1, ids: 2, added: 12, duplicates: 3 })
    t.same(stream.idempotence.find('producer', digestOfId(Buffer.from('first')), 100), idOf(5))
    t.same(stream.idempotence.find('producer', digestOfId(Buffer.from('12')), 100), idOf(7))
    const group = stream.group('group')!
    t.same([group.pendingCount, group.releasedCount], [1 + released.length, released.length])
    t.same([group.consumer('a')!.activeMs, group.consumer('b')!.activeMs], [4000, undefined])
    t.same(
      [...group.oldestPending(Infinity)].map(row => [row.id.msLo, row.ownerName, row.deliveredMs, row.deliveries]),
      [...released.map(id => [id, '', 0, 2]), [7, 'a', 1234, 2]],
    )
    t.ok(dumped(restored(rows, dumped(stream))).equals(dumped(stream)))
  }
  for (const [ids, released] of [
    [[7, 8], []],
    [[7], [7]],
    [
      [7, 8],
      [8, 8],
    ],
    [[7], [9]],
  ]) {
    const rows = new MemoryRows()
    t.throws(() => restored(rows, otherVersion(27, ids, released)), PayloadError, `${ids.join()}; ${released.join()}`)
    t.equal(rowCountOf(rows), 0, 'nothing is left')
  }
})

t.test('the oldest type that can tell it all is written', async t => {
  const rows = new MemoryRows()
  const typeOf = (payload: Buffer) => [payload[0], payload.readUInt16LE(payload.length - 10)]
  const stream = restored(rows, emptyStream()) as Stream
  append(stream, idOf(1))
  append(stream, idOf(2))
  const group = stream.createGroup('g', ID_MIN, 0)
  group.deliver(group.ensureConsumer('c', 5).consumer, 2, 7, false)
  t.same(typeOf(dumped(stream)), [19, 10])
  stream.idempotence.add('p', digestOfId(Buffer.from('id')), idOf(2), 2, { durationS: 5, sizeMax: 5 })
  t.same(typeOf(dumped(stream)), [26, 13])
  const twin = restored(rows, dumped(stream)) as Stream
  t.same(twin.idempotence.find('p', digestOfId(Buffer.from('id')), 100), idOf(2), 'digests come back as they went')
  group.release(idOf(2), 2n ** 63n - 1n)
  t.same(typeOf(dumped(stream)), [27, 14])
  const again = (restored(rows, dumped(stream)) as Stream).group('g')!
  t.same([again.releasedCount, again.pending(idOf(2))!.deliveries], [1, 2n ** 63n - 1n])
  group.ack(idOf(2))
  t.same(typeOf(dumped(stream)), [26, 13], 'as soon as nothing is released any more')
})

t.test('pending entries have one owner each and are in order', async t => {
  for (const ids of [[], [7, 7], [7, 6], [6, 7]]) {
    const rows = new MemoryRows()
    t.throws(() => restored(rows, otherVersion(21, ids)), PayloadError, ids.join())
    t.equal(rowCountOf(rows), 0, 'nothing is left')
  }
})

t.test('damage is refused, and leaves nothing; what is not refused is a whole stream', async t => {
  let refused = 0
  for (const body of damages(bodyOf(otherVersion(27, [7, 8], [8])))) {
    const rows = new MemoryRows()
    try {
      const stream = reopened(rows, restored(rows, payloadOf(body)) as Stream)
      if (stream.type === 'stream') dumped(restored(rows, dumped(stream)))
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error
      refused++
      if (rowCountOf(rows) !== 0) t.fail(`rows of ${body.toString('hex')} are left`)
    }
  }
  t.ok(refused > 1000, `${refused} were refused`)
})

t.test('a few bytes cannot stand for very many', async t => {
  const listpack = new ListpackWriter()
  const name = Buffer.alloc(100_000, 'n')
  for (const head of [3000, 0, 1]) listpack.integer(head)
  listpack.bytes(name, 0, name.length)
  listpack.integer(0)
  for (let i = 0; i < 3000; i++) for (const part of [2, i, 0, 1, 4]) listpack.integer(part)
  const writer = new RdbWriter(10_000_000)
  writer.u8(19)
  writer.length(1)
  writer.length(16)
  writer.rawId(idOf(5))
  writer.string(listpack.done())
  const limits = { stringBytesMax: 1_000_000, unpackedBytesMax: 4_000_000 }
  t.throws(() => valueOf(payloadOf(writer.done()), new MemoryRows(), limits, PACKING), {
    message: 'unpacks to too much',
  })
})

import t, { type Test } from 'tap'
import { compareIds, formatId, idOf, ID_MIN, nextId, parseId } from '../../../src/base/stream-id.js'
import type { StreamId } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import type { NodeLimits } from '../../../src/types/stream/macro-nodes.js'
import { Table } from '../../../src/store/row.js'
import { decodeHead } from '../../../src/types/stream/stream-head.js'
import { Stream } from '../../../src/types/stream/stream.js'
import type { Trim } from '../../../src/types/stream/trim.js'
import { findRedisServer } from '../../support/redis-server.js'
import { seeded, Seeded } from '../../support/seeded.js'
import { append, edgeValue, lastListpackBytes, pairsOf, reopened, startTwin } from './stream-fixture.js'
import type { Fields, RedisTwin } from './stream-fixture.js'

const noRedis = findRedisServer() === undefined ? 'no redis-server on this machine' : false

/** A stream and its twin in Redis under the same operations. */
class Pair {
  readonly rows = new MemoryRows()
  stream = Stream.create(this.rows)
  limits: NodeLimits = { entriesMax: 100, bytesMax: 4096 }
  readonly ids: StreamId[] = []
  readonly fieldSets: Fields[]

  constructor(
    readonly twin: RedisTwin,
    readonly key: string,
    readonly random: Seeded,
  ) {
    this.fieldSets = Array.from({ length: 4 }, () =>
      Array.from({ length: random.between(1, 5) }, () => edgeValue(random)),
    )
  }

  /** Does one random operation on both and compares what is to be seen. */
  async step(t: Test): Promise<void> {
    const choice = this.random.fraction()
    if (choice < 0.7 || this.stream.lastId === ID_MIN) await this.#append(t)
    else if (choice < 0.85) await this.#delete(t)
    else if (choice < 0.9) await this.configure()
    else await this.#trim(t)
    if (this.random.chance(0.05)) this.stream = reopened(this.rows, this.stream)
    const [answer, dump] = await this.twin.run(p => p.xinfo('STREAM', this.key).dumpBuffer(this.key))
    const info = pairsOf(answer)
    const { openNode } = decodeHead(this.stream.encodeRow(), 'head')
    t.same(
      {
        length: this.stream.length,
        ...(openNode && { listpack: openNode.bytes }),
        'radix-tree-keys': this.stream.nodeCount,
        'last-generated-id': formatId(this.stream.lastId),
        'max-deleted-entry-id': formatId(this.stream.maxDeletedId),
        'entries-added': this.stream.entriesAdded,
        'recorded-first-entry-id': formatId(this.stream.firstId),
      },
      {
        length: info.length,
        ...(openNode && { listpack: lastListpackBytes(dump as Buffer) }),
        'radix-tree-keys': info['radix-tree-keys'],
        'last-generated-id': info['last-generated-id'],
        'max-deleted-entry-id': info['max-deleted-entry-id'],
        'entries-added': info['entries-added'],
        'recorded-first-entry-id': info['recorded-first-entry-id'],
      },
    )
  }

  async #append(t: Test): Promise<void> {
    const { random } = this
    const names = random.pick(this.fieldSets)
    for (let i = random.between(1, 30); i > 0; i--) {
      const set = random.chance(0.8) ? names : random.pick(this.fieldSets)
      const fields = set.flatMap(name => [name, edgeValue(random)])
      const id = this.#idAfter(this.stream.lastId)
      if (id === undefined) return
      const [added] = await this.twin.run(p => p.xadd(this.key, formatId(id), ...fields))
      t.equal(added, formatId(id))
      append(this.stream, id, fields, this.limits)
      this.ids.push(id)
    }
  }

  #idAfter(last: StreamId): StreamId | undefined {
    const { random } = this
    if (random.chance(0.5)) return nextId(last)
    const jump = random.pick([1, 130, 5000, 40000, 9000000, 2 ** 31, 2 ** 33])
    const later = idOf(last.msHi * 2 ** 32 + last.msLo + jump, random.pick([0, 1, 4096, 2 ** 32, 2 ** 50]))
    return compareIds(later, last) > 0 ? later : nextId(last)
  }

  async #delete(t: Test): Promise<void> {
    for (let i = this.random.between(1, 20); i > 0 && this.ids.length > 0; i--) {
      const id = this.random.chance(0.3) ? this.ids[this.ids.length - 1] : this.random.pick(this.ids)
      const [deleted] = await this.twin.run(p => p.xdel(this.key, formatId(id)))
      t.equal(this.stream.delete(id) ? 1 : 0, deleted, `XDEL ${formatId(id)}`)
      if (this.random.chance(0.5)) this.ids.splice(this.ids.indexOf(id), 1)
    }
  }

  async configure(): Promise<void> {
    this.limits = {
      entriesMax: this.random.pick([0, 1, 3, 100, 130]),
      bytesMax: this.random.pick([0, 100, 700, 4096, 40000]),
    }
    await this.twin.run(p => {
      p.config('SET', 'stream-node-max-entries', String(this.limits.entriesMax))
      p.config('SET', 'stream-node-max-bytes', String(this.limits.bytesMax))
    })
  }

  async #trim(t: Test): Promise<void> {
    const { random } = this
    const approximate = random.chance(0.7)
    const limit = approximate && random.chance(0.5) ? random.between(1, 150) : 0
    const length = Math.max(0, this.stream.length - random.between(-3, 120))
    const id = random.chance(0.5) && this.ids.length > 0 ? random.pick(this.ids) : (this.#idAfter(ID_MIN) ?? ID_MIN)
    const trim: Trim = random.chance(0.5)
      ? { by: 'maxlen', length, approximate, limit }
      : { by: 'minid', id, approximate, limit }
    const words = [approximate ? '~' : '=', trim.by === 'maxlen' ? String(length) : formatId(id)]
    if (approximate) words.push('LIMIT', String(limit))
    const [removed] = await this.twin.run(p => p.call('XTRIM', this.key, trim.by, ...words))
    t.equal(this.stream.trim(trim), removed, `XTRIM ${trim.by} ${words.join(' ')}`)
  }
}

t.test('node boundaries and approximate trims are those of Redis', { skip: noRedis, timeout: 60_000 }, async t => {
  const twin = await startTwin()
  t.teardown(() => twin.stop())
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 6; round++) {
    const pair = new Pair(twin, `s${round}`, random)
    await pair.configure()
    for (let i = 0; i < 40 && t.passing(); i++) await pair.step(t)
  }
})

t.test('a node of which only deleted entries are left below the cut stays, as in Redis', async t => {
  const stream = Stream.create(new MemoryRows())
  for (const ms of [1, 2, 3]) append(stream, idOf(ms))
  stream.delete(idOf(3))
  t.equal(stream.trim({ by: 'minid', id: idOf(3), approximate: false, limit: 0 }), 2)
  t.equal(stream.length, 0)
  t.equal(stream.nodeCount, 1)
  append(stream, idOf(4))
  t.equal(stream.nodeCount, 1)
})

t.test('an approximate trim reads no entry', async t => {
  const rows = new MemoryRows()
  let stream = Stream.create(rows)
  for (let ms = 1; ms <= 2000; ms++) append(stream, idOf(ms), ['field', 'x'.repeat(50)])
  stream = reopened(rows, stream)
  const read = rows.read.bind(rows)
  const reads: string[] = []
  rows.read = (table, key) => {
    reads.push(`${table} …`)
    return read(table, key)
  }
  t.equal(stream.trim({ by: 'maxlen', length: 0, approximate: true, limit: 0 }), 2000)
  t.same(reads, [`${Table.Pages} …`, `${Table.Blocks} …`], 'descriptors of the entries, counts')
  t.equal(stream.nodeCount, 0)
})

t.test('the longest IDs fit a node', async t => {
  const rows = new MemoryRows()
  const stream = Stream.create(rows)
  append(stream, idOf(1))
  const id = parseId(Buffer.from('18446744073709551615-18446744073709551615'), 0, 41)
  t.ok(id)
  if (id) append(stream, id)
  t.equal(stream.nodeCount, 1)
  t.equal(reopened(rows, stream).nodeCount, 1)
})

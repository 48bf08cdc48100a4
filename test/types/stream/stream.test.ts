import t, { type Test } from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { formatId, ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import type { StreamId } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Table } from '../../../src/store/row.js'
import { entriesAddedUpTo } from '../../../src/types/stream/read-progress.js'
import { Stream, streamType } from '../../../src/types/stream/stream.js'
import type { Trim } from '../../../src/types/stream/trim.js'
import { Seeded, seeded } from '../../support/seeded.js'
import { append, entryWire, reopened, textOf } from './stream-fixture.js'
import {
  ModelGroup,
  modelPendingPicture,
  modelPictureOf,
  ModelStream,
  pendingPicture,
  pictureOf,
} from './stream-model.js'

/** A stream and its model under the same random operations. */
class Run {
  readonly rows = new MemoryRows()
  readonly model = new ModelStream()
  stream = Stream.create(this.rows)
  lastMs = 0
  nowMs = 1000

  constructor(
    readonly t: Test,
    readonly random: Seeded,
  ) {}

  step(): void {
    const { random } = this
    this.nowMs += random.below(20)
    const choice = random.below(20)
    if (choice < 5) this.#append()
    else if (choice < 7) this.#delete()
    else if (choice < 8) this.#trim()
    else if (choice < 9) this.#read()
    else if (choice < 10) this.#changeGroups()
    else if (choice < 11) this.stream = reopened(this.rows, this.stream)
    else this.#useGroup()
  }

  #append(): void {
    for (let i = this.random.between(1, 80); i > 0; i--) {
      const id = idOf(++this.lastMs, this.random.below(3))
      const fields = ['field', this.random.bytes(this.random.below(200)), 'other', String(this.random.below(1000))]
      append(this.stream, id, fields)
      this.model.entries.push({ id, fields })
    }
  }

  #anyId(): StreamId {
    const { entries } = this.model
    const from = this.random.chance(0.7) ? this.random.below(entries.length) : 0
    return entries.length > 0 && this.random.chance(0.8) ? entries[from].id : idOf(this.random.below(this.lastMs + 2))
  }

  #delete(): void {
    for (let i = this.random.between(1, 30); i > 0; i--) {
      const id = this.#anyId()
      this.t.equal(this.stream.delete(id), this.model.delete(id), `XDEL ${formatId(id)}`)
    }
  }

  #trim(): void {
    const by = { approximate: false, limit: 0 }
    const trim: Trim = this.random.chance(0.5)
      ? { ...by, by: 'maxlen', length: this.model.entries.length - this.random.between(-2, 150) }
      : { ...by, by: 'minid', id: this.#anyId() }
    if (trim.by === 'maxlen' && trim.length < 0) return
    this.t.equal(this.stream.trim(trim), this.model.trim(trim), JSON.stringify(trim))
  }

  #read(): void {
    const [start, end] = [this.#anyId(), this.#anyId()]
    const max = this.random.pick([1, 7, 1000, Infinity])
    const found = this.model.range(start, end)
    const wire = (entries: typeof found) => entries.map(({ id, fields }) => entryWire(id, fields)).join('')
    this.t.equal(this.stream.countRange(start, end), found.length)
    this.t.equal(textOf(this.stream.range(start, end, max)), wire(found.slice(0, max)))
    this.t.equal(textOf(this.stream.rangeReverse(start, end, max)), wire(found.reverse().slice(0, max)))
    const entry = this.model.range(start, start)
    this.t.equal(this.stream.has(start), entry.length === 1)
    const got = this.stream.get(start)
    this.t.equal(textOf(got ? [got] : []), wire(entry))
  }

  #changeGroups(): void {
    const name = this.random.pick(['g', 'a'.repeat(3000), '\xff\0', 'h'])
    if (this.model.groups.has(name)) {
      if (this.random.chance(0.7)) return
      this.t.equal(this.stream.destroyGroup(name), this.model.groups.delete(name))
      this.t.equal(this.stream.group(name), undefined)
    } else {
      this.t.equal(this.stream.destroyGroup(name), false)
      const id = this.random.chance(0.7) ? ID_MIN : this.#anyId()
      this.stream.createGroup(name, id, undefined)
      this.model.groups.set(name, new ModelGroup(id))
    }
  }

  #useGroup(): void {
    if (this.model.groups.size === 0) return
    const [name, model] = this.random.pick([...this.model.groups])
    const group = this.stream.group(name)
    if (group === undefined) throw new Error(`no group ${name}`)
    const consumerName = this.random.pick(['alice', 'bob', '', 'c'.repeat(600)])
    if (this.random.chance(0.03)) {
      this.t.equal(group.deleteConsumer(consumerName), model.deleteConsumer(consumerName), 'XGROUP DELCONSUMER')
      return
    }
    const { consumer, created } = group.ensureConsumer(consumerName, this.nowMs)
    this.t.equal(created, !model.consumers.has(consumerName))
    const times = model.consumers.get(consumerName) ?? { seenMs: this.nowMs, activeMs: undefined }
    model.consumers.set(consumerName, times)
    const choice = this.random.fraction()
    if (choice < 0.3) {
      consumer.setSeen((times.seenMs = this.nowMs))
      consumer.setActive((times.activeMs = this.nowMs))
      const max = this.random.pick([1, 10, 100, 2000])
      const noAck = this.random.chance(0.1)
      const given = textOf(group.deliver(consumer, max, this.nowMs, noAck))
      this.t.equal(given, this.model.deliver(model, consumerName, max, this.nowMs, noAck))
    } else if (choice < 0.6) {
      for (let i = this.random.between(1, 40); i > 0; i--) {
        const id =
          this.random.chance(0.7) && model.pending.length > 0 ? this.random.pick(model.pending).id : this.#anyId()
        this.t.equal(group.ack(id), model.ack(id), `XACK ${formatId(id)}`)
      }
    } else if (choice < 0.8) {
      for (let i = this.random.between(1, 20); i > 0; i--) {
        const id = this.#anyId()
        const deliveredMs = this.nowMs - this.random.below(2000)
        group.setPending(id, consumer, Math.max(0, deliveredMs), i)
        model.set(id, consumerName, Math.max(0, deliveredMs), i)
      }
    } else if (choice < 0.85) {
      const id = this.#anyId()
      group.setId(id, undefined)
      model.lastDeliveredId = id
    } else this.#readPending(name, model)
  }

  #readPending(name: string, model: ModelGroup): void {
    const group = this.stream.group(name)
    const [start, end] = [this.#anyId(), this.random.chance(0.5) ? ID_MAX : this.#anyId()]
    const maxMs = this.nowMs - this.random.below(1500)
    const owner = this.random.chance(0.5) ? [...(group?.consumers() ?? [])][0] : undefined
    const expected = model.pending.filter(entry => {
      const within =
        Buffer.compare(keyOf(start), keyOf(entry.id)) <= 0 && Buffer.compare(keyOf(entry.id), keyOf(end)) <= 0
      return within && (owner === undefined || entry.owner === owner.name)
    })
    const all = [...(group?.pendingRange(start, end, owner) ?? [])]
    this.t.same(all.map(pendingPicture), expected.map(modelPendingPicture))
    const idle = [...(group?.pendingIdleRange(start, end, maxMs, owner) ?? [])]
    const expectedIdle = expected.filter(entry => entry.deliveredMs <= maxMs)
    this.t.same(idle.map(pendingPicture), expectedIdle.map(modelPendingPicture))
    const id = this.#anyId()
    const one = group?.pending(id)
    const wanted = model.pending.find(entry => formatId(entry.id) === formatId(id))
    this.t.equal(one && pendingPicture(one), wanted && modelPendingPicture(wanted))
  }
}

function keyOf(id: StreamId): Buffer {
  const key = Buffer.alloc(16)
  ;[id.msHi, id.msLo, id.seqHi, id.seqLo].forEach((half, i) => key.writeUInt32BE(half, i * 4))
  return key
}

t.test('a stream does what plain arrays would do, across reloads', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 2; round++) {
    await t.test(`round ${round}`, async t => {
      const run = new Run(t, random)
      for (let i = 0; i < 160 && t.passing(); i++) {
        run.step()
        if (i % 20 === 0) t.same(pictureOf(run.stream), modelPictureOf(run.model))
      }
      const copy = run.stream.copy()
      t.same(pictureOf(copy), modelPictureOf(run.model), 'a copy')
      t.equal(copy.nodeCount, run.stream.nodeCount)
      append(run.stream, idOf(run.lastMs + 10))
      t.same(pictureOf(reopened(run.rows, copy)), modelPictureOf(run.model), 'a copy is its own')
      t.ok(copy.memoryUsage() > 0)
      copy.drop()
      run.stream.drop()
      run.rows.flush()
      for (const table of [Table.Heads, Table.Parts, Table.Pages, Table.Blocks]) {
        t.equal(run.rows.rowCount(table), 0, `table ${table} is empty after the drops`)
      }
    })
  }
})

t.test('a stream never shrinks its IDs and counters', async t => {
  const rows = new MemoryRows()
  const stream = Stream.create(rows)
  append(stream, idOf(5))
  t.throws(() => append(stream, idOf(5)), { name: 'InvariantError' })
  stream.delete(idOf(5))
  t.equal(stream.delete(idOf(6)), false)
  t.match(stream, { length: 0, lastId: idOf(5), maxDeletedId: idOf(5), entriesAdded: 1, firstId: ID_MIN, nodeCount: 0 })
  stream.setId(idOf(9), 2n ** 63n - 2n, idOf(7))
  const again = reopened(rows, stream)
  t.match(again, { lastId: idOf(9), maxDeletedId: idOf(7), entriesAdded: 2n ** 63n - 2n })
  t.equal(entriesAddedUpTo(again, idOf(9)), 2n ** 63n - 2n)
  again.setId(idOf(10), undefined, undefined)
  append(again, idOf(11))
  t.equal(again.entriesAdded, 2n ** 63n - 1n)
  t.equal(again.first()?.entries, 1)
  t.equal(again.last()?.entries, 1)
})

t.test('a stream without its head, or with another length, is refused by name', async t => {
  const rows = new MemoryRows()
  const stream = Stream.create(rows)
  append(stream, idOf(1))
  rows.flush()
  t.throws(() => streamType.load(rows, stream.object.id + 99), CorruptionError)
  const read = rows.read.bind(rows)
  rows.read = (table, key) => {
    const value = read(table, key)
    if (table === Table.Heads && value !== undefined) value[9]++
    return value
  }
  t.throws(() => streamType.load(rows, stream.object.id), { message: /head of stream \d+ and its entries disagree/ })
})

t.test('what a reader was given stays as it was', async t => {
  const stream = Stream.create(new MemoryRows())
  for (let ms = 1; ms <= 50; ms++) append(stream, idOf(ms))
  const slices = [...stream.range(ID_MIN, ID_MAX, Infinity)]
  const before = textOf(slices)
  stream.delete(idOf(7))
  stream.trim({ by: 'maxlen', length: 3, approximate: false, limit: 0 })
  for (let ms = 51; ms <= 90; ms++) append(stream, idOf(ms))
  t.equal(textOf(slices), before)
})

t.test('entries deleted together are told one by one, whatever lies between them', async t => {
  const stream = Stream.create(new MemoryRows())
  for (let i = 1; i <= 600; i++) append(stream, idOf(i))
  t.equal(stream.firstId.msLo, 1)
  const some = [1, 2, 3, 5, 300, 301, 600, 601].map(ms => idOf(ms))
  t.same(stream.deleteAll(some), [true, true, true, true, true, true, true, false])
  t.same(
    stream.deleteAll(some),
    some.map(() => false),
  )
  t.same(stream.deleteAll([]), [])
  t.match(stream, { length: 593, firstId: idOf(4), maxDeletedId: idOf(600) })
  const rest = Array.from({ length: 600 }, (_, i) => idOf(i + 1))
  t.equal(stream.deleteAll(rest).filter(Boolean).length, 593)
  t.match(stream, { length: 0, nodeCount: 0, firstId: ID_MIN })
})

// What DELREF notes of very many groups: beside a plain model of who has what pending, with restarts in between.

import t from 'tap'
import { formatId, ID_MAX, ID_MIN, idOf, previousId } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { DroppedReferences } from '../../../src/types/stream/dropped-references.js'
import type { CatchesUp } from '../../../src/types/stream/dropped-references.js'
import { dropReferences, dropReferencesToTrimmed, GROUPS_AT_ONCE } from '../../../src/types/stream/references.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { seeded } from '../../support/seeded.js'
import { append, reopened } from './stream-fixture.js'

t.test('what is noted comes back from its bytes, which are checked', async t => {
  const dropped = new DroppedReferences()
  t.equal(dropped.encode(), undefined)
  dropped.add([idOf(1), idOf(3)])
  dropped.addUpTo(idOf(2, 5))
  dropped.add([idOf(2)])
  t.same(dropped.since(0).ids, [idOf(2), idOf(3)], 'ascending; what lies below the range is part of it')
  t.same(dropped.since(0).ranges, [{ first: ID_MIN, last: idOf(2, 5), epoch: 2 }])
  t.same([dropped.since(2).ids, dropped.since(2).ranges, dropped.since(3).ids], [[idOf(2)], [], []])
  const bytes = dropped.encode()!
  const again = DroppedReferences.decode(bytes, 'it')
  t.same(again.since(0).ids, [idOf(2), idOf(3)])
  t.same(again.encode(), bytes)
  t.same(again.since(again.epoch).ids, [])
  const refused = { name: 'CorruptionError', message: /^it has/ }
  t.throws(() => DroppedReferences.decode(bytes.subarray(1), 'it'), refused)
  t.throws(() => DroppedReferences.decode(Buffer.concat([Buffer.alloc(16, 2), Buffer.alloc(16, 1)]), 'it'), refused)
})

t.test('a round has each group catch up once, and then what was noted before it is forgotten', async t => {
  const seen: string[] = []
  const groups: CatchesUp[] = ['a', 'b', 'c'].map(name => ({ catchUp: () => void seen.push(name) }))
  const all = () => groups.values()
  let forgets = 0
  const dropped = new DroppedReferences()
  dropped.goRound(all, 9, () => forgets++)
  t.same(seen, [], 'nothing was noted')
  dropped.add([idOf(1)])
  dropped.goRound(all, 2, () => forgets++)
  dropped.add([idOf(2)])
  t.same([seen, forgets, dropped.size], [['a', 'b'], 0, 2])
  dropped.goRound(all, 2, () => forgets++)
  t.same([seen, forgets], [['a', 'b', 'c'], 1])
  t.same(dropped.since(0).ids, [idOf(2)], 'the first two may not have seen it')
  dropped.goRound(all, Infinity, () => forgets++)
  t.same([seen.length, forgets, dropped.size], [6, 2, 0])
})

const GROUPS = GROUPS_AT_ONCE + 6

/** Streams of many groups, and what is pending with each as a set of milliseconds. */
t.test('every group has pending what a plain model says, whoever asks when, restarts or not', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 6; round++) {
    const rows = new MemoryRows()
    let stream = Stream.create(rows)
    let last = 0
    const there = new Set<number>()
    const read = new Map<string, number>()
    const pending = new Map<string, Set<number>>()
    const make = (name: string): void => {
      stream.createGroup(name, ID_MIN, 0)
      read.set(name, 0)
      pending.set(name, new Set())
    }
    for (let g = 0; g < GROUPS; g++) make(`g${g}`)
    const names = (): string[] => [...pending.keys()]
    const told = (name: string): string[] =>
      [...stream.group(name)!.pendingRange(ID_MIN, ID_MAX)].map(({ id }) => formatId(id))
    const expected = (name: string): string[] => [...pending.get(name)!].sort((a, b) => a - b).map(ms => `${ms}-0`)
    const drop = (ids: number[]): void => {
      const sorted = [...new Set(ids)].sort((a, b) => a - b)
      dropReferences(
        stream,
        sorted.map(ms => idOf(ms)),
      )
      stream.deleteAll(sorted.map(ms => idOf(ms)))
      for (const ms of sorted) {
        there.delete(ms)
        for (const rows of pending.values()) rows.delete(ms)
      }
    }
    for (let step = 0; step < 300; step++) {
      const name = random.pick(names())
      const group = stream.group(name)!
      const mine = pending.get(name)!
      const choice = random.below(10)
      if (choice < 2) {
        for (let n = random.between(1, 9); n > 0; n--) {
          append(stream, idOf(++last))
          there.add(last)
        }
      } else if (choice < 5) {
        const max = random.between(1, 12)
        const fresh = [...there]
          .filter(ms => ms > read.get(name)!)
          .sort((a, b) => a - b)
          .slice(0, max)
        group.deliver(group.ensureConsumer(random.pick(['ann', 'bob']), 1).consumer, max, step, false)
        for (const ms of fresh) mine.add(ms)
        if (fresh.length > 0) read.set(name, fresh[fresh.length - 1])
      } else if (choice === 5) {
        const ms = random.between(1, last + 1)
        t.equal(group.ack(idOf(ms)), mine.delete(ms))
      } else if (choice === 6) {
        drop(Array.from({ length: random.between(1, 6) }, () => random.between(1, last + 3)))
      } else if (choice === 7 && there.size > 0) {
        const left = random.below(there.size + 1)
        stream.trim({ by: 'maxlen', length: left, approximate: false, limit: 0 })
        for (const ms of [...there].sort((a, b) => a - b).slice(0, there.size - left)) there.delete(ms)
        dropReferencesToTrimmed(stream)
        const first = there.size === 0 ? last + 1 : Math.min(...there)
        for (const rows of pending.values()) for (const ms of rows) if (ms < first) rows.delete(ms)
      } else if (choice === 8) {
        const other = random.chance(0.5)
        if (other) make(`h${step}`)
        else if (pending.size > GROUPS) {
          stream.destroyGroup(name)
          pending.delete(name)
        }
      } else if (random.chance(0.3)) {
        stream = random.chance(0.7) ? reopened(rows, stream) : stream.copy()
      } else if (there.size === 0 && random.chance(0.5)) {
        // IDs may come again, and are pending with whoever reads them then.
        stream.setId(idOf((last = 2)), undefined, undefined)
        for (const one of names()) {
          stream.group(one)!.setId(ID_MIN, undefined)
          read.set(one, 0)
        }
      }
      const asked = random.pick(names())
      if (random.chance(0.4)) t.same(told(asked), expected(asked), `round ${round}, step ${step}, ${asked}`)
      if (random.chance(0.1)) t.equal(stream.group(asked)!.pendingCount, pending.get(asked)!.size)
    }
    for (const name of names()) {
      t.same(told(name), expected(name), name)
      for (const consumer of stream.group(name)!.consumers()) {
        t.equal([...stream.group(name)!.pendingRange(ID_MIN, ID_MAX, consumer)].length, consumer.pendingCount)
      }
    }
  }
})

const salvaged = (stream: Stream): number => stream.salvaged(() => undefined).group('g7')!.pendingCount

t.test('whoever asks how much is pending, of a group or a consumer, is told without what was dropped', async t => {
  for (const asks of [
    (stream: Stream) => stream.group('g7')!.pendingCount,
    (stream: Stream) => stream.group('g7')!.consumer('ann')!.pendingCount,
    (stream: Stream) => stream.group('g7')!.consumers()[0].pendingCount,
    (stream: Stream) => stream.group('g7')!.deleteConsumer('ann'),
    (stream: Stream) => stream.copy().group('g7')!.pendingCount,
    salvaged,
  ]) {
    // What is salvaged is read from what is stored.
    for (const again of asks === salvaged ? [true] : [false, true]) {
      const rows = new MemoryRows()
      let stream = Stream.create(rows)
      for (let ms = 1; ms <= 3; ms++) append(stream, idOf(ms))
      for (let g = GROUPS - 1; g >= 0; g--) {
        const group = stream.createGroup(`g${g}`, ID_MIN, 0)
        group.deliver(group.ensureConsumer('ann', 1).consumer, 3, 1, false)
      }
      t.equal(dropReferences(stream, [idOf(2)]), 1)
      stream.delete(idOf(2))
      t.ok(stream.dropped.size > 0)
      if (again) stream = reopened(rows, stream)
      t.equal(asks(stream), 2)
    }
  }
})

t.test('rounds end: what is noted does not grow for ever', async t => {
  const stream = Stream.create(new MemoryRows())
  for (let ms = 1; ms <= 100; ms++) append(stream, idOf(ms))
  for (let g = 0; g < GROUPS; g++) stream.createGroup(`g${g}`, previousId(idOf(2))!, undefined)
  let most = 0
  for (let ms = 1; ms <= 100; ms++) {
    dropReferences(stream, [idOf(ms)])
    stream.delete(idOf(ms))
    most = Math.max(most, stream.dropped.size)
  }
  t.ok(most < 40, `${most} were noted at most`)
})

// Trims that spare references among very many groups, by commands that come back, beside those in one go; and what
// others do while they rest.

import t from 'tap'
import { formatId, ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { PageMiss } from '../../../src/store/page-misses.js'
import { findUnreferenced, trimUnreferenced } from '../../../src/types/stream/references.js'
import { Stream } from '../../../src/types/stream/stream.js'
import type { Trim } from '../../../src/types/stream/trim.js'
import { seeded } from '../../support/seeded.js'
import { append, reopened } from './stream-fixture.js'

const GROUPS = 300
const TO_NOTHING: Trim = { by: 'maxlen', length: 0, approximate: false, limit: 0 }

const idsOf = (stream: Stream): string =>
  [...stream.runsFrom(ID_MIN, Infinity)]
    .flatMap(run => Array.from({ length: run.entries }, (_, i) => formatId(run.page.keyAt(run.index + i))))
    .join(' ')

/** All groups have read everything; `pending` says which entries a group has not acknowledged. */
function filled(entries: number, pending: (group: number) => readonly number[], rows = new MemoryRows()): Stream {
  const stream = Stream.create(rows)
  for (let ms = 1; ms <= entries; ms++) append(stream, idOf(ms))
  for (let g = 0; g < GROUPS; g++) {
    const group = stream.createGroup(`g${g}`, idOf(entries), 0)
    const { consumer } = group.ensureConsumer('ann', 1)
    for (const ms of pending(g)) group.setPending(idOf(ms), consumer, 1, 1)
  }
  return stream
}

/** As a command that comes back does; `meanwhile` is called when it rests. */
function trim(stream: Stream, what: Trim, meanwhile: (rest: number) => void = () => undefined) {
  const { misses } = stream.rows
  for (let rests = 0; ; rests++) {
    misses.arm(undefined)
    try {
      return { removed: trimUnreferenced(stream, what), rests }
    } catch (error) {
      if (!(error instanceof PageMiss)) throw error
      misses.armed = false
      meanwhile(rests)
    } finally {
      misses.armed = false
    }
  }
}

t.test('it rests between parts of the groups and removes what a trim in one go removes', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 8; round++) {
    const size = random.pick([5, 200, 900])
    const share = random.pick([0, 0.002, 0.01, 1])
    const plan = Array.from({ length: GROUPS }, () =>
      Array.from({ length: size }, (_, i) => i + 1).filter(() => random.chance(share)),
    )
    const limit = random.pick([0, 7])
    const what: Trim = random.chance(0.5)
      ? { by: 'maxlen', length: random.below(size), approximate: limit > 0, limit }
      : { by: 'minid', id: idOf(random.below(size + 2)), approximate: limit > 0, limit }
    const atOnce = filled(size, g => plan[g])
    const rows = new MemoryRows()
    const inParts = random.chance(0.5)
      ? filled(size, g => plan[g], rows)
      : reopened(
          rows,
          filled(size, g => plan[g], rows),
        )
    const { removed, rests } = trim(inParts, what)
    t.equal(removed, trimUnreferenced(atOnce, what), `round ${round}`)
    t.equal(idsOf(inParts), idsOf(atOnce))
    t.same(inParts.maxDeletedId, atOnce.maxDeletedId)
    t.ok(removed === 0 || rests >= GROUPS / 64 - 1, `${rests} rests`)
  }
})

t.test('what happens while it rests counts: it does what it would do at the moment it ends', async t => {
  // Entry 1 is pending in one group, 2 in six, 3 in all, 4 and 5 in none.
  const plan = (g: number) => [...(g === 9 ? [1] : []), ...(g % 50 === 7 ? [2] : []), 3]
  const everywhere = (s: Stream, change: (g: number) => void) => s.groups().forEach((_, g) => change(g))
  const cases: [string, (stream: Stream) => unknown, string][] = [
    ['nothing', () => undefined, '1-0 2-0 3-0'],
    ['the only reference goes', s => s.group('g9')!.ack(idOf(1)), '2-0 3-0'],
    ['some of six go', s => [7, 57, 107].map(g => s.group(`g${g}`)!.ack(idOf(2))), '1-0 2-0 3-0'],
    ['more go than were looked for', s => [7, 57, 107, 157].map(g => s.group(`g${g}`)!.ack(idOf(2))), '1-0 2-0 3-0'],
    ['all six go', s => [7, 57, 107, 157, 207, 257].map(g => s.group(`g${g}`)!.ack(idOf(2))), '1-0 3-0'],
    ['the last of very many goes', s => everywhere(s, g => s.group(`g${g}`)!.ack(idOf(3))), '1-0 2-0'],
    ['the group that refers to it is destroyed', s => s.destroyGroup('g9'), '2-0 3-0'],
    ['its consumer goes', s => s.group('g9')!.deleteConsumer('ann'), '2-0 3-0'],
    [
      'a reference comes',
      s => s.group('g0')!.setPending(idOf(4), s.group('g0')!.consumer('ann')!, 1, 1),
      '1-0 2-0 3-0 4-0',
    ],
    ['one is released', s => s.group('g299')!.release(idOf(5), 0), '1-0 2-0 3-0 5-0'],
    [
      'one that was there is claimed',
      s => s.group('g9')!.setPending(idOf(1), s.group('g9')!.consumer('ann')!, 9, 2),
      '1-0 2-0 3-0',
    ],
    ['a group is set backwards', s => s.group('g0')!.setId(idOf(3), undefined), '1-0 2-0 3-0 4-0 5-0'],
    ['a group comes that has read less', s => s.createGroup('new', idOf(4), 0), '1-0 2-0 3-0 5-0'],
    ['free entries go', s => [s.delete(idOf(4)), s.delete(idOf(5))], '1-0 2-0 3-0'],
    ['a pending entry goes', s => s.delete(idOf(1)), '2-0 3-0'],
    ['a pending entry goes, and then its reference', s => [s.delete(idOf(1)), s.group('g9')!.ack(idOf(1))], '2-0 3-0'],
    ['others trim all of it', s => trimUnreferenced(s, TO_NOTHING), '1-0 2-0 3-0'],
    ['an entry comes that nobody has read', s => append(s, idOf(9)), '1-0 2-0 3-0 9-0'],
  ]
  for (const [name, change, left] of cases) {
    for (const rest of [0, 2, 3]) {
      const stream = filled(5, plan)
      let lengthThen = 0
      const { removed } = trim(stream, TO_NOTHING, now => {
        if (now !== rest) return
        change(stream)
        lengthThen = stream.length
      })
      t.equal(idsOf(stream), left, `${name}, at rest ${rest}`)
      t.equal(removed, lengthThen - stream.length, 'as it says')
    }
  }
})

t.test('it goes on when more is wanted at the end than at the beginning, and stops when less is', async t => {
  const keep3: Trim = { by: 'maxlen', length: 3, approximate: false, limit: 0 }
  for (const rest of [0, 3]) {
    const grows = filled(5, () => [])
    for (const group of grows.groups()) group.setId(idOf(100), undefined)
    const grown = trim(grows, keep3, now => {
      if (now === rest) for (let ms = 6; ms <= 105; ms++) append(grows, idOf(ms))
    })
    t.equal(grown.removed, 100, 'all that the groups have come to')
    t.equal(grows.length, 5)

    const shrinks = filled(5, () => [])
    const shrunk = trim(shrinks, keep3, now => void (now === rest && shrinks.delete(idOf(2))))
    t.equal(shrunk.removed, 1)
    t.equal(idsOf(shrinks), '3-0 4-0 5-0')
  }
  const limited: Trim = { by: 'minid', id: ID_MAX, approximate: true, limit: 2 }
  const stream = filled(5, () => [])
  t.equal(trim(stream, limited, now => void (now === 3 && stream.delete(idOf(1)))).removed, 2)
  t.equal(idsOf(stream), '4-0 5-0', 'as many as LIMIT says, though one of the first was gone')
})

t.test('steady acknowledgements of what is passed over do not make it begin anew', async t => {
  const stream = filled(600, g => Array.from({ length: 300 }, (_, i) => i + 1).filter(ms => ms % GROUPS === g))
  let next = 1
  const { removed, rests } = trim(stream, TO_NOTHING, () => {
    for (const end = next + 20; next < end && next <= 300; next++) {
      stream.group(`g${next % GROUPS}`)!.ack(idOf(next))
    }
  })
  t.equal(removed, 300 + next - 1, `what was acknowledged by then went as well: ${next - 1}`)
  t.ok(rests < 40, `${rests} rests`)
})

t.test('an entry that is added goes too when groups were set beyond it', async t => {
  for (const groups of [1, GROUPS]) {
    const stream = Stream.create(new MemoryRows())
    for (let g = 0; g < groups; g++) stream.createGroup(`g${g}`, idOf(10), 0)
    append(stream, idOf(1))
    const found = findUnreferenced(stream, TO_NOTHING, 1)
    append(stream, idOf(2))
    t.equal(trimUnreferenced(stream, TO_NOTHING, found), 2)
    t.equal(stream.length, 0)
    const again = findUnreferenced(stream, TO_NOTHING, 1)
    append(stream, idOf(11))
    t.equal(trimUnreferenced(stream, TO_NOTHING, again), 0, 'nobody has come to it')
  }
})

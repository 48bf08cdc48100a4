// Searches among very many groups by commands that come back, beside those in one go.

import t from 'tap'
import { formatId, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { PageMiss } from '../../../src/store/page-misses.js'
import { referencedAmong } from '../../../src/types/stream/references.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { append, reopened } from './stream-fixture.js'

const GROUPS = 300
const ENTRIES = 5

/** All groups have read everything; group i has i % 50 === 7 left of entry 1, only the last group has entry 2. */
function filled(rows: MemoryRows): Stream {
  const stream = Stream.create(rows)
  for (let ms = 1; ms <= ENTRIES; ms++) append(stream, idOf(ms))
  for (let g = 0; g < GROUPS; g++) {
    const group = stream.createGroup(`g${g}`, ID_MIN, 0)
    group.deliver(group.ensureConsumer('ann', 1).consumer, ENTRIES, 1, false)
    for (let ms = 1; ms <= ENTRIES; ms++) if (ms !== 1 || g % 50 !== 7) group.ack(idOf(ms))
  }
  const last = stream.group(`g${GROUPS - 1}`)!
  last.setPending(idOf(2), last.consumer('ann')!, 1, 1)
  return stream
}

/** As a command that comes back does; `meanwhile` is called when it rests. */
function search(stream: Stream, ids: number[], meanwhile: (rest: number) => void = () => undefined, except?: string) {
  const { misses } = stream.rows
  for (let rests = 0; ; rests++) {
    misses.arm(undefined)
    try {
      const of = ids.map(ms => idOf(ms))
      const found = referencedAmong(stream, of, except === undefined ? undefined : stream.group(except))
      return { found: [...found].sort(), rests }
    } catch (error) {
      if (!(error instanceof PageMiss)) throw error
      misses.armed = false
      meanwhile(rests)
    } finally {
      misses.armed = false
    }
  }
}

t.test('it rests between parts of the groups and finds what a look at all of them finds', async t => {
  const rows = new MemoryRows()
  for (const stream of [filled(rows), reopened(rows, filled(rows))]) {
    for (const ids of [[3], [1, 2, 3], [2], [5, 3, 5, 9], []]) {
      const atOnce = [
        ...referencedAmong(
          stream,
          ids.map(ms => idOf(ms)),
        ),
      ].sort()
      const { found, rests } = search(stream, ids)
      t.same(found, atOnce, String(ids))
      t.ok(ids.length === 0 || rests >= GROUPS / 64 - 1, `${rests} rests`)
    }
  }
  const stream = filled(rows)
  const last = `g${GROUPS - 1}`
  t.same(search(stream, [2, 3], undefined, last).found, [])
  t.same([...referencedAmong(stream, [idOf(2)], stream.group(last))], [])
})

t.test('what happens while it rests counts: it tells of the moment it ends', async t => {
  const at = (rest: number, what: () => void) => (now: number) => void (now === rest && what())
  const cases: [string, number[], (stream: Stream) => void, string[]][] = [
    [
      'a reference that was found goes',
      [1, 2],
      s => [7, 57, 107, 157, 207, 257].forEach(g => s.group(`g${g}`)!.ack(idOf(1))),
      ['2-0'],
    ],
    ['another one stays', [1], s => void s.group('g7')!.ack(idOf(1)), ['1-0']],
    [
      'one comes to a group that was looked at',
      [3],
      s => s.group('g0')!.setPending(idOf(3), s.group('g0')!.consumer('ann')!, 1, 1),
      ['3-0'],
    ],
    ['one is released there', [3], s => s.group('g0')!.release(idOf(3), 0), ['3-0']],
    ['a group is set backwards', [3], s => s.group('g0')!.setId(idOf(2), undefined), ['3-0']],
    ['a group comes that has read nothing', [3], s => void s.createGroup('new', ID_MIN, 0), ['3-0']],
    ['the only group that refers to it goes', [2], s => void s.destroyGroup(`g${GROUPS - 1}`), []],
  ]
  for (const [name, ids, change, expected] of cases) {
    for (const rest of [0, 2]) {
      const stream = filled(new MemoryRows())
      t.same(
        search(
          stream,
          ids,
          at(rest, () => change(stream)),
        ).found,
        expected,
        `${name}, at rest ${rest}`,
      )
    }
  }
})

t.test('several searches do not disturb each other, and one that is always disturbed ends', async t => {
  const stream = filled(new MemoryRows())
  const inner: unknown[] = []
  const { found } = search(stream, [1, 3], rest => void (rest === 1 && inner.push(search(stream, [2]).found)))
  t.same([found, inner], [['1-0'], [['2-0']]])
  const group = stream.group('g3')!
  const disturbed = search(stream, [3], () => group.setPending(idOf(4), group.consumer('ann')!, 1, 1))
  t.same(disturbed.found, [])
  t.ok(disturbed.rests < 40, `${disturbed.rests} rests`)
})

t.test('a damaged group refuses the search, each time', async t => {
  const rows = new MemoryRows()
  const stream = filled(rows)
  const group = stream.group('g200')!
  const broken = new Error(`damaged ${formatId(idOf(1))}`)
  group.pendingAmong = () => {
    throw broken
  }
  for (let i = 0; i < 3; i++) t.throws(() => search(stream, [3]), broken)
})

import t from 'tap'
import { InvariantError } from '../../../src/base/assert.js'
import { ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { PageMiss } from '../../../src/store/page-misses.js'
import { Table } from '../../../src/store/row.js'
import { Groups } from '../../../src/types/stream/groups.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { append, reopened } from './stream-fixture.js'

function setUp() {
  const rows = new MemoryRows()
  const stream = Stream.create(rows)
  append(stream, idOf(1))
  return { rows, stream, groups: new Groups(stream, 0) }
}

const names = (groups: Groups) => groups.all().map(({ name }) => name)

t.test('groups are listed by name; one that was destroyed is gone with its object', async t => {
  const { groups } = setUp()
  for (const name of ['c', 'a', 'b']) groups.create(name, ID_MIN, 0)
  t.throws(() => groups.create('a', ID_MIN, 0), InvariantError)
  t.same(names(groups), ['a', 'b', 'c'])
  const b = groups.get('b')!
  groups.destroy(b)
  t.same(names(groups), ['a', 'c'])
  t.equal(groups.get('b'), undefined)
  t.equal(groups.size, 2)
  t.ok(b.object.droppedEpoch > 0)
})

t.test('rows are read at the first use and not before', async t => {
  const { rows, stream, groups } = setUp()
  groups.create('a', idOf(1), 1)
  groups.create('b', ID_MIN, undefined)
  rows.flush()
  let scans = 0
  const scan = rows.scan.bind(rows)
  rows.scan = (table, prefix) => {
    if (table === Table.Parts) scans++
    return scan(table, prefix)
  }
  const none = new Groups(stream, 0)
  t.equal(none.get('a'), undefined)
  t.same(none.all(), [])
  const again = new Groups(stream, 2)
  t.equal(again.size, 2)
  t.equal(scans, 0)
  t.match(again.get('a'), { lastDeliveredId: idOf(1) })
  t.same(names(again), ['a', 'b'])
  t.equal(scans, 1)
  t.throws(() => new Groups(stream, 3).all(), { name: 'CorruptionError', message: /has 2 groups instead of 3/ })
})

t.test('very many rows are read in parts by commands that can come back, and at once by others', async t => {
  const COUNT = 700
  const { rows, stream, groups } = setUp()
  for (let i = 0; i < COUNT; i++) groups.create(`g${i}`, idOf(i + 1), undefined)
  rows.flush()
  const held = rows.cache.heldBytes
  const again = new Groups(stream, COUNT)
  let rests = 0
  const look = (): unknown => {
    rows.misses.arm(undefined)
    try {
      return again.get('g650')?.lastDeliveredId
    } catch (error) {
      t.ok(error instanceof PageMiss && error.atOnce && error.rows.length === 0)
      rests++
      return undefined
    } finally {
      rows.misses.armed = false
    }
  }
  t.equal(look(), undefined)
  t.ok(rows.cache.heldBytes > held, 'what was read is kept')
  t.equal(again.size, COUNT)
  for (let i = 0; i < 20 && look() === undefined; i++);
  t.equal(rests, Math.floor(COUNT / 128))
  t.same(look(), idOf(651))
  t.equal(names(again).length, COUNT)
  const bytes = rows.cache.heldBytes - held

  const begun = new Groups(stream, COUNT)
  rows.misses.arm(undefined)
  t.throws(() => begun.all(), PageMiss)
  rows.misses.armed = false
  t.equal(begun.all().length, COUNT, 'who cannot come back reads what is left')
  t.equal(rows.cache.heldBytes - held, 2 * bytes, 'none was read twice')

  const dropped = new Groups(stream, COUNT)
  rows.misses.arm(undefined)
  t.throws(() => dropped.all(), PageMiss)
  rows.misses.armed = false
  dropped.drop()
  t.equal(rows.cache.heldBytes - held, 2 * bytes, 'what was read before a drop is let go')
})

t.test(
  'groups that nobody looked at are dropped in slices to the last one, whether they were written down or not',
  t => {
    for (const isWritten of [true, false]) {
      const { rows, stream } = setUp()
      const GROUPS = 350
      for (let i = 0; i < GROUPS; i++) {
        const group = stream.createGroup(`g${i}`, ID_MIN, 0)
        group.deliver(group.ensureConsumer('c', 0).consumer, 1, 5, false)
      }
      const left = reopened(rows, stream)
      t.equal(left.dropPieces, 1 + 2 * GROUPS)
      while (left.dropPieces > 100 && left.dropSome(100)) if (isWritten) rows.flush()
      if (left.groupCount > 0) left.drop()
      rows.flush()
      for (const table of [Table.Pages, Table.Parts, Table.Heads]) t.equal(rows.rowCount(table), 0)
    }
    t.end()
  },
)

t.test('more groups than are looked at for it are dropped without being opened', t => {
  const { rows, stream } = setUp()
  const GROUPS = 1_250
  for (let i = 0; i < GROUPS; i++) stream.createGroup(`g${i}`, ID_MIN, 0)
  const left = reopened(rows, stream)
  t.equal(left.dropPieces, 1 + GROUPS)
  while (left.dropPieces > 100 && left.dropSome(100)) continue
  t.equal(left.groupCount, 50, 'what is left is less than a slice')
  left.drop()
  rows.flush()
  for (const table of [Table.Pages, Table.Parts, Table.Heads]) t.equal(rows.rowCount(table), 0)
  t.end()
})

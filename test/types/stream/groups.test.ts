import t from 'tap'
import { InvariantError } from '../../../src/base/assert.js'
import { ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
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

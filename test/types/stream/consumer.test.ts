import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject } from '../../../src/store/row.js'
import { Consumer, CONSUMER } from '../../../src/types/stream/consumer.js'

function setUp() {
  const rows = new MemoryRows()
  const home = { rows, object: new StoreObject(rows.newId()) }
  const consumer = new Consumer(home, 7, 'ali\xffce', 1000)
  return { rows, home, consumer, decoded: () => Consumer.decode(home, consumer.rowKey(), consumer.encodeRow()) }
}

function own(consumer: Consumer, ...numbers: number[]): void {
  for (const ms of numbers) {
    const node = consumer.owned().nodeForInsert(idOf(ms))
    consumer.owned().willChange(node).insert(idOf(ms))
    consumer.owned().changed(node)
  }
}

t.test('a row holds name, number, times and how many entries it owns', async t => {
  const { rows, consumer, decoded } = setUp()
  t.match(decoded(), { name: 'ali\xffce', number: 7, seenMs: 1000, activeMs: undefined, pendingCount: 0 })
  t.equal(decoded().treeId(), undefined, 'no tree before the first entry')
  consumer.setSeen(2000)
  consumer.setActive(0)
  own(consumer, 1, 2, 3)
  rows.flush()
  t.match(decoded(), { seenMs: 2000, activeMs: 0, pendingCount: 3 })
  t.equal(decoded().treeId(), consumer.treeId())
  t.equal(decoded().owned().count, 3)
})

t.test('its row is touched when something changes, and only then', async t => {
  const { rows, consumer } = setUp()
  const touched = (change: () => void) => {
    rows.flush()
    change()
    return consumer.dirtyEpoch !== 0
  }
  t.equal(
    touched(() => consumer.setSeen(1000)),
    false,
  )
  t.equal(
    touched(() => consumer.setSeen(1001)),
    true,
  )
  t.equal(
    touched(() => consumer.setActive(5)),
    true,
  )
  t.equal(
    touched(() => own(consumer, 9)),
    true,
  )
})

t.test('a count that is not that of its tree is refused, and so is another version', async t => {
  const { rows, home, consumer } = setUp()
  own(consumer, 1, 2)
  rows.flush()
  const row = consumer.encodeRow()
  row[CONSUMER.PENDING + 7]++
  t.throws(() => Consumer.decode(home, consumer.rowKey(), row).owned(), CorruptionError)
  row[CONSUMER.VERSION] = 9
  t.throws(() => Consumer.decode(home, consumer.rowKey(), row), CorruptionError)
})

t.test('what one owns can be copied to another', async t => {
  const { home, consumer } = setUp()
  own(consumer, 1, 2, 3)
  const copy = new Consumer(home, 8, 'bob', 0)
  copy.copyOwned(consumer)
  t.equal(copy.pendingCount, 3)
  t.not(copy.treeId(), consumer.treeId())
})

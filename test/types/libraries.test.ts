import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { Table } from '../../src/store/row.js'
import type { Rows } from '../../src/store/rows.js'
import { Libraries } from '../../src/types/libraries.js'

/** Rows that hold one value, whatever is asked for. */
function holding(value: Buffer): Rows {
  return Object.assign(new MemoryRows(), { read: () => value })
}

t.test('libraries come back as they were, in their order', async t => {
  const kept = new Libraries(new MemoryRows())
  kept.set('one', Buffer.from('code 1'))
  kept.set('two', Buffer.from('code \xff', 'latin1'))
  kept.set('three', Buffer.from(''))
  kept.delete('three')
  kept.set('one', Buffer.from('code 1b'))
  const bytes = kept.encodeRow()
  t.equal(bytes.length, kept.rowBytes())
  t.equal(kept.table, Table.Meta)
  const loaded = new Libraries(holding(bytes))
  loaded.load()
  t.same([...loaded.codes], [...kept.codes])
  t.same([...loaded.codes.keys()], ['two', 'one'])
  loaded.clear()
  t.equal(loaded.encodeRow().toString('hex'), '0100000000')
})

t.test('a row that contradicts itself is refused', async t => {
  const kept = new Libraries(new MemoryRows())
  kept.set('one', Buffer.from('code'))
  const bytes = kept.encodeRow()
  const short = bytes.subarray(0, bytes.length - 1)
  const long = Buffer.concat([bytes, Buffer.from('x')])
  const other = Buffer.from(bytes)
  other[0] = 9
  for (const damaged of [short, long, other, Buffer.alloc(3)]) {
    t.throws(() => new Libraries(holding(damaged)).load(), CorruptionError)
  }
})

import t from 'tap'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { Slot } from '../../src/types/slot.js'

t.test('a slot begins without keys and expiries, under its number', async t => {
  const rows = new MemoryRows()
  const slot = new Slot(7, rows)
  t.match(slot, { number: 7, keys: { size: 0 } })
  t.equal(slot.rows, rows)
  t.equal(slot.expiries.soonest(), undefined)
})

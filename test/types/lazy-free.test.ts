import t from 'tap'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { KeyEntry } from '../../src/types/key-entry.js'
import { LazyFree } from '../../src/types/lazy-free.js'
import { Slot } from '../../src/types/slot.js'
import { StringValue, stringType } from '../../src/types/string/string-value.js'

function slotOf(rows: MemoryRows, number: number, keys: number): { slot: Slot; entries: KeyEntry[] } {
  const slot = new Slot(number, rows)
  const entries: KeyEntry[] = []
  for (let i = 0; i < keys; i++) {
    const entry = new KeyEntry(slot, `key ${i}`, stringType, StringValue.create(rows, `value ${i}`))
    rows.touch(entry)
    slot.keys.insert(entry)
    entries.push(entry)
  }
  return { slot, entries }
}

t.test('flushed slots are worked off in slices, one after the other; rows and objects go', async t => {
  const rows = new MemoryRows()
  const emptied: number[] = []
  const lazyFree = new LazyFree(slot => emptied.push(slot.number))
  const [first, second] = [slotOf(rows, 7, 5), slotOf(rows, 8, 3)]
  rows.flush()
  lazyFree.add(first.slot)
  lazyFree.add(second.slot)
  t.equal(lazyFree.pending, 8)
  t.equal(lazyFree.some(4), true)
  t.equal(lazyFree.pending, 4)
  t.same(emptied, [])
  t.equal(lazyFree.some(2), true)
  t.same(emptied, [7], 'told when its last row was removed')
  t.equal(lazyFree.some(100), false)
  t.same(emptied, [7, 8])
  t.equal(lazyFree.pending, 0)
  for (const entry of [...first.entries, ...second.entries]) {
    t.equal(entry.removed, true)
    t.ok(entry.value.object.droppedEpoch > 0, 'its object is dropped')
  }
})

t.test('a slot without keys costs nothing and is told too', async t => {
  const rows = new MemoryRows()
  const emptied: number[] = []
  const lazyFree = new LazyFree(slot => emptied.push(slot.number))
  t.equal(lazyFree.some(10), false)
  lazyFree.add(new Slot(3, rows))
  t.equal(lazyFree.some(1), false)
  t.same(emptied, [3])
})

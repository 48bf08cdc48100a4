import t from 'tap'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { Libraries } from '../../src/types/libraries.js'

function reloaded(rows: MemoryRows): Libraries {
  rows.flush()
  const libraries = new Libraries(rows)
  libraries.load()
  return libraries
}

const held = (libraries: Libraries) => Array.from(libraries.codes, ([name, code]) => `${name}: ${code.toString()}`)

t.test('code comes back after a reload, the latest of each name', async t => {
  const rows = new MemoryRows()
  const libraries = reloaded(rows)
  t.same(held(libraries), [])
  libraries.set('a', Buffer.from('one'))
  libraries.set('b', Buffer.alloc(0))
  libraries.set('a', Buffer.from('two'))
  t.same(held(reloaded(rows)), ['b: ', 'a: two'])
  libraries.delete('b')
  libraries.delete('none')
  t.same(held(reloaded(rows)), ['a: two'])
  libraries.clear()
  t.same(held(reloaded(rows)), [])
})

t.test('a row that contradicts itself is refused', async t => {
  const rows = new MemoryRows()
  const libraries = new Libraries(rows)
  libraries.set('lib', Buffer.from('code'))
  const good = libraries.encodeRow()
  const load = (bytes: Buffer) => {
    rows.read = () => bytes
    new Libraries(rows).load()
  }
  load(good)
  const refused = { name: 'CorruptionError', message: /"libraries"/ }
  for (let length = 0; length < good.length; length++) t.throws(() => load(good.subarray(0, length)), refused)
  t.throws(() => load(Buffer.concat([good, Buffer.alloc(1)])), refused)
  const other = Buffer.from(good)
  other[0] = 9
  t.throws(() => load(other), refused)
})

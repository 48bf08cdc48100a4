import t from 'tap'
import { idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { copyPages } from '../../../src/types/stream/tree-copy.js'
import { codec, emptyTree, filledTree, numbersIn } from './tree-fixture.js'

t.test('a copy has the same items and a life of its own', async t => {
  const rows = new MemoryRows()
  const source = filledTree(rows, 500)
  const target = emptyTree(rows)
  copyPages(codec, source, target)
  t.same(numbersIn(target), numbersIn(source))
  t.equal(target.count, 500)
  t.not(target.treeId, source.treeId)
  const { node, index } = target.find(idOf(250))!
  target.willChange(node).removeRange(index, index + 1)
  target.changed(node)
  t.equal(target.count, 499)
  t.equal(numbersIn(source)?.length, 500, 'the source has all of its items')
})

t.test('a copy of nothing is nothing', async t => {
  const rows = new MemoryRows()
  const target = emptyTree(rows)
  copyPages(codec, emptyTree(rows), target)
  t.equal(target.count, 0)
})

import t from 'tap'
import { ByteReader } from '../../../src/pages/byte-reader.js'
import { ByteWriter } from '../../../src/pages/byte-writer.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject } from '../../../src/store/row.js'
import { ScoreTree } from '../../../src/types/zset/score-tree.js'

const nothing = () => undefined

function tree(rows: MemoryRows, count: number): ScoreTree {
  const made = ScoreTree.create(rows, new StoreObject(rows.newId()), nothing)
  for (let i = 0; i < count; i++) made.set(`m${i}`, i, undefined)
  return made
}

function membersOf(scores: ScoreTree, from: number, to: number): string[] {
  const members: string[] = []
  scores.each(from, to, member => void members.push(member))
  return members
}

t.test('a member that moves stands once in each tree', async t => {
  const scores = tree(new MemoryRows(), 1000)
  scores.set('m0', 5000, 0)
  t.equal(scores.count, 1000)
  t.equal(scores.rankOf('m0', 5000), 999)
  t.same(membersOf(scores, 0, 2), ['m1', 'm2'])
  const scanned: string[] = []
  for (let cursor = scores.scan(0, 1e6, member => void scanned.push(member)); cursor !== 0;)
    t.fail('one call was enough')
  t.equal(new Set(scanned).size, 1000)
  t.equal(scanned.length, 1000)
})

t.test('ranges are removed across pages, from both trees', async t => {
  const scores = tree(new MemoryRows(), 3000)
  scores.removeRange(10, 2990)
  t.equal(scores.count, 20)
  t.same(membersOf(scores, 9, 11), ['m9', 'm2990'])
  t.equal(scores.scoreOf('m10'), undefined)
  t.equal(scores.scoreOf('m2989'), undefined)
  t.equal(scores.scoreOf('m2990'), 2990)
})

t.test('two trees whose numbers of members differ are refused', async t => {
  const rows = new MemoryRows()
  const whole = new ByteReader(tree(rows, 100).encode(), 'a test')
  const part = new ByteReader(tree(rows, 99).encode(), 'a test')
  const mixed = new ByteWriter(64)
  mixed.sized(whole.sized())
  part.sized()
  mixed.sized(part.sized())
  t.throws(() => ScoreTree.decode(rows, new StoreObject(9), nothing, mixed.done(), 'head of zset 9'), {
    name: 'CorruptionError',
    message: 'head of zset 9 has 100 members and 99 scores',
  })
})

t.test('a scan or range that stops early reads no further', async t => {
  const scores = tree(new MemoryRows(), 1000)
  let met = 0
  t.ok(scores.some(() => ++met === 5))
  t.equal(met, 5)
})

import t from 'tap'
import { PackedScores } from '../../../src/types/zset/packed-scores.js'
import { ZSET_FORM } from '../../../src/types/zset/scored-members.js'

function packed(form: typeof ZSET_FORM.packed | typeof ZSET_FORM.listpack, ...members: [string, number][]) {
  const scores = new PackedScores(form)
  for (const [member, score] of members) scores.set(member, score, undefined)
  return scores
}

t.test('members lie in order of score and name, and come back from their row', async t => {
  const scores = packed(ZSET_FORM.listpack, ['b', 1], ['c', -Infinity], ['a', 1], ['', 0.5])
  const order = ['c', '', 'a', 'b']
  const given: string[] = []
  scores.each(0, 4, member => void given.push(member))
  t.same(given, order)
  const again = PackedScores.decode(ZSET_FORM.listpack, scores.encode(), 'a test')
  const down: string[] = []
  again.eachDown(0, 4, member => void down.push(member))
  t.same(down, order.toReversed())
  t.equal(again.scoreOf(''), 0.5)
  t.equal(again.memoryBytes, scores.memoryBytes)
})

t.test('a member moves with its score', async t => {
  const scores = packed(ZSET_FORM.packed, ['a', 1], ['b', 2], ['c', 3])
  scores.set('a', 9, 1)
  t.equal(scores.count, 3)
  t.equal(scores.rankOf('a', 9), 2)
  scores.delete('b', 2)
  t.equal(scores.scoreOf('b'), undefined)
  t.equal(scores.rankOf('a', 9), 1)
})

t.test('there is room for 256 members, or for 3,900 bytes', async t => {
  const many = new PackedScores(ZSET_FORM.packed)
  for (let i = 0; i < 256; i++) {
    t.ok(many.hasRoom(3))
    many.set(String(i), i, undefined)
  }
  t.notOk(many.hasRoom(3))
  t.ok(many.encode().length < 3900)
  const wide = new PackedScores(ZSET_FORM.packed)
  t.ok(wide.hasRoom(3890))
  t.notOk(wide.hasRoom(3891))
})

t.test('a scan gives everything at once', async t => {
  const scores = packed(ZSET_FORM.listpack, ['a', 1], ['b', 2])
  const seen: string[] = []
  t.equal(
    scores.scan(0, 1, member => void seen.push(member)),
    0,
  )
  t.same(seen, ['a', 'b'])
  t.ok(scores.some(member => member === 'b'))
  t.notOk(scores.some(() => false))
})

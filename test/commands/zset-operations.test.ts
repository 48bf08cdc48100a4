import t from 'tap'
import { countIntersection, intersect, Source, subtract, unite } from '../../src/commands/zset-operations.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { SetValue } from '../../src/types/set/set-value.js'
import { ZsetValue } from '../../src/types/zset/zset-value.js'

const rows = new MemoryRows()

function zset(scores: Record<string, number>): Source {
  const members = Object.entries(scores).map(([member, score]) => ({ member, score }))
  return new Source(ZsetValue.of(rows, members, { entriesMax: 0, memberBytesMax: 64 }))
}

function set(...members: string[]): Source {
  const value = SetValue.create(rows)
  for (const member of members) value.add(member, 512)
  return new Source(value)
}

function weighted(source: Source, weight: number): Source {
  source.weight = weight
  return source
}

const scoresOf = (members: readonly { member: string; score: number }[]) =>
  members.map(({ member, score }) => `${member} ${score}`)

t.test('a union has what any input has, in order of the result', async t => {
  const sources = () => [zset({ a: 5, b: 1 }), weighted(set('b', 'c'), 3), new Source(undefined)]
  t.same(scoresOf(unite(sources(), 'sum')), ['c 3', 'b 4', 'a 5'])
  t.same(scoresOf(unite(sources(), 'min')), ['b 1', 'c 3', 'a 5'])
  t.same(scoresOf(unite(sources(), 'max')), ['b 3', 'c 3', 'a 5'])
})

t.test('an intersection has what all have; the same input counts each time', async t => {
  const a = zset({ a: 5, b: 1, c: 2 })
  t.same(scoresOf(intersect([a, set('c', 'a')], 'sum')), ['c 3', 'a 6'])
  t.same(scoresOf(intersect([a, a], 'sum')), ['b 2', 'c 4', 'a 10'])
  t.same(intersect([a, new Source(undefined)], 'sum'), [])
  t.equal(countIntersection([a, set('c', 'a')], 0), 2)
  t.equal(countIntersection([a, set('c', 'a')], 1), 1)
})

t.test('a difference is the same whether inputs are many or few', async t => {
  const names = Array.from({ length: 50 }, (_, i) => `m${i}`)
  const first = zset(Object.fromEntries(names.map((name, i) => [name, i])))
  const few = [set('m0', 'm1'), zset({ m2: 9 }), set('m3')]
  t.same(subtract([first, ...few])[0], { member: 'm4', score: 4 })
  const many = set(...names.slice(4), ...names.map(name => `other-${name}`))
  t.same(scoresOf(subtract([first, many])), ['m0 0', 'm1 1', 'm2 2', 'm3 3'])
  t.same(subtract([first, first]), [])
  t.same(subtract([new Source(undefined), first]), [])
})

t.test('infinities that cancel each other make 0', async t => {
  t.same(scoresOf(unite([zset({ x: Infinity }), zset({ x: -Infinity })], 'sum')), ['x 0'])
  t.same(scoresOf(unite([weighted(zset({ x: Infinity }), 0)], 'sum')), ['x 0'])
})

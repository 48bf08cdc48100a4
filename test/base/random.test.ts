import t from 'tap'
import { randomBelow, randomRanks } from '../../src/base/random.js'

t.test('randomBelow gives every number below its bound', async t => {
  const seen = new Set<number>()
  for (let i = 0; i < 5000; i++) seen.add(randomBelow(10))
  t.same([...seen].sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  t.equal(randomBelow(1), 0)
  for (let i = 0; i < 100; i++) t.ok(randomBelow(2 ** 53) < 2 ** 53)
})

t.test('randomRanks gives different ranks in order, few or many of them', async t => {
  for (const [count, below] of [
    [0, 5],
    [1, 1],
    [3, 100],
    [97, 100],
    [50, 100],
    [51, 100],
    [100, 100],
  ]) {
    const ranks = randomRanks(count, below)
    t.equal(ranks.length, count)
    t.equal(new Set(ranks).size, count)
    t.same(
      ranks,
      [...ranks].sort((a, b) => a - b),
    )
    t.ok(ranks.every(rank => rank >= 0 && rank < below))
  }
})

t.test('each rank is chosen about as often as any other', async t => {
  for (const count of [2, 8]) {
    const times = Array.from({ length: 10 }, () => 0)
    for (let i = 0; i < 5000; i++) for (const rank of randomRanks(count, 10)) times[rank]++
    // Ten standard deviations from 500 * count: a correct source will not get there.
    for (const n of times) t.ok(Math.abs(n - 500 * count) < 300, String(n))
  }
})

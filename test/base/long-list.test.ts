import t from 'tap'
import { LongList, SEGMENT_ITEMS } from '../../src/base/long-list.js'
import { seeded } from '../support/seeded.js'

t.test('what is pushed is found at its place, over any number of segments', async t => {
  const list = new LongList<number>()
  const count = 2 * SEGMENT_ITEMS + 3
  for (let i = 0; i < count; i++) if (list.push(i * 3) !== i) t.fail(`push ${i}`)
  t.equal(list.length, count)
  for (const i of [0, 1, SEGMENT_ITEMS - 1, SEGMENT_ITEMS, 2 * SEGMENT_ITEMS, count - 1]) t.equal(list.at(i), i * 3)
  t.equal(list.at(count), undefined, 'beyond the last there is nothing')
  t.same(
    [...list],
    Array.from({ length: count }, (_, i) => i * 3),
  )
})

t.test('an empty list pops nothing and gives nothing', async t => {
  const list = new LongList<string>()
  t.same([list.pop(), list.length, list.at(0), [...list]], [undefined, 0, undefined, []])
  list.push('a')
  t.same([list.pop(), list.pop(), list.length], ['a', undefined, 0])
})

t.test('it agrees with an array whatever is done to it at the edge of a segment', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const list = new LongList<number>()
  const model: number[] = []
  for (let i = 0; i < SEGMENT_ITEMS - 20; i++) {
    list.push(i)
    model.push(i)
  }
  for (let step = 0; step < 5000; step++) {
    const pick = rng.below(8)
    const near = Math.max(model.length - 1 - rng.below(30), 0)
    if (pick < 3 + Number(model.length < SEGMENT_ITEMS)) {
      if (list.push(step) !== model.push(step) - 1) t.fail(`push in step ${step}`)
    } else if (pick < 6) {
      if (list.pop() !== model.pop()) t.fail(`pop in step ${step}`)
    } else if (pick === 6) {
      list.remove(near)
      model.splice(near, 1)
    } else {
      list.set(near, -step)
      model[near] = -step
    }
    if (list.length !== model.length || list.at(near) !== model[near]) t.fail(`step ${step}`)
  }
  t.same([...list], model)
})

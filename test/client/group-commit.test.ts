import t from 'tap'
import { GroupCommit } from '../../src/client/group-commit.js'

t.test('calls made while one is under way share the next', async t => {
  const batches: number[][] = []
  const group = new GroupCommit<number, number>(
    async items => {
      batches.push([...items])
      await new Promise(resolve => setImmediate(resolve))
      return items.map(item => item * 2)
    },
    { itemsMax: 3 },
  )
  const first = group.add(1)
  await Promise.resolve()
  await Promise.resolve()
  const rest = [2, 3, 4, 5].map(item => group.add(item))
  t.same(await Promise.all([first, ...rest]), [2, 4, 6, 8, 10])
  t.same(batches, [[1], [2, 3, 4], [5]])
  await group.idle()
})

t.test('a batch is bounded by weight, and a heavy item goes alone', async t => {
  const batches: number[][] = []
  const group = new GroupCommit<number, void>(
    async items => {
      batches.push([...items])
      return items.map(() => undefined)
    },
    { itemsMax: 100, weightMax: 10, weigh: item => item },
  )
  await Promise.all([4, 6, 1, 50, 2].map(item => group.add(item)))
  t.same(batches, [[4, 6], [1], [50], [2]])
})

t.test('an error fails its batch and no other', async t => {
  let failing = true
  const group = new GroupCommit<number, number>(
    async items => {
      if (failing) throw new Error('down')
      return items
    },
    { itemsMax: 10 },
  )
  const both = await Promise.allSettled([group.add(1), group.add(2)])
  t.same(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  failing = false
  t.equal(await group.add(3), 3)
})

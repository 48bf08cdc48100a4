import t from 'tap'
import { NameOrder, sortedByName } from '../../../src/types/stream/name-order.js'
import { seeded } from '../../support/seeded.js'

const mapOf = (names: readonly string[]) => new Map(names.map(name => [name, { name }]))

t.test('names are ordered by their bytes, whatever the language says', async t => {
  const names = ['b', 'a', '\xff', 'B', '', 'a\0', '\x80', 'aa', 'é', '10', '9']
  const byBytes = names.toSorted((a, b) => Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')))
  const items = mapOf(names)
  t.same(
    sortedByName(items).map(({ name }) => name),
    byBytes,
  )
  t.same([...items.keys()], names, 'what was given stays as it was')
})

t.test('the order follows what comes and goes, and what was given out stays as it was', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (const size of [0, 5, 200]) {
    const items = mapOf(Array.from({ length: size }, (_, i) => `n${i}`))
    const order = new NameOrder<{ name: string }>()
    let given = order.of(items)
    for (let round = 0; round < 60; round++) {
      const before = given.map(({ name }) => name)
      for (let changes = random.pick([0, 1, 3, 80]); changes > 0; changes--) {
        const name = `n${random.below(size + 50)}`
        const known = items.get(name)
        if (known !== undefined) {
          items.delete(name)
          order.removed(known)
        } else {
          const item = { name }
          items.set(name, item)
          order.added(item)
        }
      }
      const then = given
      if (random.chance(0.7)) given = order.of(items)
      t.same(
        then.map(({ name }) => name),
        before,
      )
      t.same(order.of(items), sortedByName(items), `round ${round} of ${size}`)
      t.ok(
        order.of(items).every(item => items.get(item.name) === item),
        'the item of today under each name',
      )
    }
  }
})

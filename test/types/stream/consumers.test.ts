import t from 'tap'
import { InvariantError } from '../../../src/base/assert.js'
import { CorruptionError } from '../../../src/base/errors.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject } from '../../../src/store/row.js'
import { Consumers } from '../../../src/types/stream/consumers.js'

function setUp() {
  const rows = new MemoryRows()
  return { rows, home: { rows, object: new StoreObject(rows.newId()) } }
}

t.test('consumers are found by name and number, listed by name, and come back from their rows', async t => {
  const { rows, home } = setUp()
  const consumers = new Consumers(home, 0)
  for (const [number, name] of ['carol', 'alice', 'bob'].entries()) consumers.create(number + 1, name, 5)
  t.throws(() => consumers.create(9, 'bob', 5), InvariantError)
  consumers.delete(consumers.get('carol')!)
  rows.flush()
  for (const each of [consumers, new Consumers(home, 2)]) {
    t.equal(each.size, 2)
    t.same(
      each.all().map(({ name }) => name),
      ['alice', 'bob'],
    )
    t.equal(each.numbered(3).name, 'bob')
    t.equal(each.get('carol'), undefined)
    t.throws(() => each.numbered(1), CorruptionError, 'a record that names nobody')
  }
})

t.test('a row too few or too many is damage', async t => {
  const { rows, home } = setUp()
  new Consumers(home, 0).create(1, 'alice', 5)
  rows.flush()
  t.throws(() => new Consumers(home, 2), new CorruptionError(`group ${home.object.id} has 1 consumers instead of 2`))
})

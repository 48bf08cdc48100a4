import t from 'tap'
import { InvariantError } from '../../../src/base/assert.js'
import { CorruptionError } from '../../../src/base/errors.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { PageMiss } from '../../../src/store/page-misses.js'
import { StoreObject } from '../../../src/store/row.js'
import type { ConsumerHome } from '../../../src/types/stream/consumer.js'
import { Consumers } from '../../../src/types/stream/consumers.js'
import { GroupContents } from '../../../src/types/stream/group-contents.js'

function setUp() {
  const rows = new MemoryRows()
  return { rows, home: { rows, object: new StoreObject(rows.newId()) } }
}

function opened(home: ConsumerHome, stored: number): Consumers {
  const consumers = new Consumers(home)
  consumers.read(stored)
  return consumers
}

t.test('consumers are found by name and number, listed by name, and come back from their rows', async t => {
  const { rows, home } = setUp()
  const consumers = opened(home, 0)
  for (const [number, name] of ['carol', 'alice', 'bob'].entries()) consumers.create(number + 1, name, 5)
  t.throws(() => consumers.create(9, 'bob', 5), InvariantError)
  consumers.delete(consumers.get('carol')!)
  rows.flush()
  for (const each of [consumers, opened(home, 2)]) {
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
  opened(home, 0).create(1, 'alice', 5)
  rows.flush()
  t.throws(() => opened(home, 2), new CorruptionError(`group ${home.object.id} has 1 consumers instead of 2`))
})

t.test(
  'very many are read in parts by commands that come back, and what was read counts until it is dropped',
  async t => {
    const { rows, home } = setUp()
    const made = opened(home, 0)
    const SIZE = 500
    for (let i = 1; i <= SIZE; i++) made.create(i, `c${i}`, 5)
    rows.flush()
    made.release()
    const held = rows.cache.heldBytes
    const stored = {
      consumers: SIZE,
      nextConsumer: SIZE + 1,
      pending: 0,
      released: 0,
      nextRelease: 1,
      pelRoot: undefined,
    }
    const contents = new GroupContents(rows, home.object, stored)
    const run = (): number | undefined => {
      rows.misses.arm(undefined)
      try {
        return contents.consumers().size
      } catch (error) {
        if (!(error instanceof PageMiss)) throw error
        return undefined
      } finally {
        rows.misses.armed = false
      }
    }
    for (let rest = 0; rest < 3; rest++) t.equal(run(), undefined)
    t.equal(contents.consumerCount, SIZE)
    t.equal(run(), SIZE)
    t.equal(contents.consumers().get('c500')?.number, 500)

    const before = rows.cache.heldBytes
    const dropped = new GroupContents(rows, home.object, stored)
    rows.misses.arm(undefined)
    t.throws(() => dropped.consumers())
    rows.misses.armed = false
    t.ok(rows.cache.heldBytes > before)
    dropped.drop()
    t.equal(rows.cache.heldBytes, before, 'what was read in part is forgotten')
    t.ok(before > held)
  },
)

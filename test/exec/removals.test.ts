import t from 'tap'
import type { Database } from '../../src/types/keyspace.js'
import type { ExecContext } from '../../src/exec/context.js'
import { Removals } from '../../src/exec/removals.js'
import { ServerStats } from '../../src/exec/stats.js'

/** Removals whose context writes down what it is told. */
function watched(running: boolean) {
  const told: unknown[][] = []
  const tell =
    (name: string) =>
    (...args: unknown[]) =>
      void told.push([name, ...args])
  const context = {
    sideEffect: tell('effect'),
    expired: tell('expired'),
    touchedByNobody: tell('touched'),
    notify: tell('notify'),
    closeRecord: tell('close'),
  }
  const stats = new ServerStats()
  const removals = new Removals({ context: context as unknown as ExecContext, running }, stats)
  const db = { index: 3, remove: tell('remove') } as unknown as Database
  return { removals, stats, db, told }
}

t.test('an expired key is a DEL in the journal, in a record of its own unless a command runs', t => {
  const { removals, stats, db, told } = watched(false)
  removals.expired(db, 'k')
  t.same(told, [['effect', 3, ['DEL', 'k']], ['expired', 'k', db], ['notify', 'x', 'expired', 'k', db], ['close']])
  t.equal(stats.expiredKeys, 1)
  const inside = watched(true)
  inside.removals.expired(inside.db, 'k')
  t.notOk(inside.told.some(([name]) => name === 'close'))
  t.end()
})

t.test('expired fields are an HDEL, and the key goes with its last', t => {
  const { removals, stats, db, told } = watched(false)
  removals.fieldsExpired(db, 'h', ['a', 'b'], true)
  t.same(told, [
    ['effect', 3, ['HDEL', 'h', 'a', 'b']],
    ['touched', 'h', db],
    ['notify', 'h', 'hexpired', 'h', db],
    ['notify', 'g', 'del', 'h', db],
    ['close'],
  ])
  t.equal(stats.expiredFields, 2)
  const some = watched(true)
  some.removals.fieldsExpired(some.db, 'h', ['a'], false)
  t.same(
    some.told.map(([name]) => name),
    ['effect', 'touched', 'notify'],
  )
  t.end()
})

t.test('a key that goes for want of memory is removed as the policy says', t => {
  const { removals, stats, db, told } = watched(true)
  removals.evict(db, 'k', 'UNLINK')
  t.same(told, [
    ['remove', 'k'],
    ['effect', 3, ['UNLINK', 'k']],
    ['touched', 'k', db],
    ['notify', 'e', 'evicted', 'k', db],
  ])
  t.equal(stats.evictedKeys, 1)
  t.end()
})

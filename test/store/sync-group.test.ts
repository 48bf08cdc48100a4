import t from 'tap'
import { SyncGroup } from '../../src/store/sync-group.js'

t.test('the first who comes begins at once', async t => {
  const group = new SyncGroup(() => t.fail('nobody is put off'))
  t.ok(group.complete)
  group.add(1)
  t.ok(group.complete)
  group.close()
})

t.test('after a sync, company is waited for: those it answered and those who came meanwhile', async t => {
  const group = new SyncGroup(() => t.fail('the company came in time'))
  group.add(25)
  group.syncStarted()
  group.add(23)
  t.ok(group.complete, 'nothing is expected while a sync runs')
  group.syncEnded()
  t.notOk(group.complete, '48 are expected, a few less will do')
  group.add(18)
  t.notOk(group.complete)
  group.add(1)
  t.ok(group.complete)
  group.syncStarted()
  group.close()
})

t.test('one client alone never waits', async t => {
  const group = new SyncGroup(() => t.fail('nobody is put off'))
  for (let i = 0; i < 3; i++) {
    group.add(1)
    t.ok(group.complete)
    group.syncStarted()
    group.syncEnded()
  }
  group.close()
})

t.test('who waits in vain begins without the others, and expects fewer from then on', async t => {
  let begun = 0
  await new Promise<void>(resolve => {
    const group = new SyncGroup(() => {
      begun++
      t.ok(group.complete)
      group.syncStarted()
      group.syncEnded()
      group.add(2)
      t.ok(group.complete, 'two were there, two are expected')
      group.syncStarted()
      group.close()
      resolve()
    })
    group.add(50)
    group.syncStarted()
    group.syncEnded()
    group.add(2)
    t.notOk(group.complete)
  })
  t.equal(begun, 1)
})

t.test('nobody comes: the next one begins at once again', async t => {
  const group = new SyncGroup(() => t.fail('nobody waits'))
  group.add(50)
  group.syncStarted()
  group.syncEnded()
  while (!group.complete) await new Promise(resolve => setImmediate(resolve))
  group.add(1)
  t.ok(group.complete)
  group.close()
})

import t from 'tap'
import { monitorCommand } from '../../src/commands/monitor.js'
import { FakeServer } from '../support/fake-server.js'

t.test('MONITOR asks the server once; again it has no answer', async t => {
  const server = new FakeServer([monitorCommand])
  t.equal(server.ask('MONITOR'), '+OK\r\n')
  t.same(server.log, ['monitor 1'])
  Object.assign(server.me, { monitoring: true })
  t.equal(server.ask('MONITOR'), '')
  t.same(server.log, ['monitor 1'])
})

t.test('MONITOR is refused where a client could not wait', async t => {
  const server = new FakeServer([monitorCommand])
  server.context.mayBlock = false
  t.equal(server.ask('MONITOR'), "-ERR MONITOR isn't allowed for DENY BLOCKING client\r\n")
  t.same(server.log, [])
})

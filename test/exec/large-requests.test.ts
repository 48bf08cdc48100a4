import t from 'tap'
import { PIECE_BYTES } from '../../src/base/allocation.js'
import { connectionCommands } from '../../src/commands/connection.js'
import { Flag } from '../../src/commands/spec.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { LargeArgument } from '../../src/resp/large-argument.js'
import { LargeRequest } from '../../src/resp/large-request.js'
import { requestOf } from '../../src/resp/request.js'
import type { Staging } from '../../src/store/effects.js'
import { ExecHarness } from '../support/exec-harness.js'

const BYTES = 20 * PIECE_BYTES + 10

function setUp(t: { teardown(fn: () => void): void }) {
  const harness = new ExecHarness([...stringCommands, ...connectionCommands])
  t.teardown(() => harness.close())
  const staging: Staging = { cuts: 0, holders: 0 }
  Object.assign(harness.sink, { staging })
  const { session, transport } = harness.client()
  const argument = new LargeArgument(BYTES)
  argument.take(Buffer.alloc(BYTES, 'x'), 0, BYTES)
  const requestFor = (...words: string[]) =>
    new LargeRequest(requestOf([...words, '']), new Map([[words.length, argument]]))
  const turns = async (done: () => boolean) => {
    for (let i = 0; i < 200 && !done(); i++) {
      harness.endTick()
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  const names = () => harness.sink.records.flat().map(effect => effect.replace(/x{9,}.*$/, ''))
  return { harness, staging, session, transport, argument, requestFor, turns, names }
}

t.test('the bytes go before the command, a part at a time, and no cut comes between; others are served', async t => {
  const { harness, staging, session, transport, requestFor, turns, names } = setUp(t)
  const other = harness.client()
  t.equal(session.onRequest(requestFor('SET', 'k')), 'stop')
  t.equal(staging.holders, 1)
  let served = 0
  await turns(() => {
    other.transport.sent = ''
    other.session.onRequest(requestOf(['PING']))
    harness.endTick()
    if (other.transport.sent === '+PONG\r\n' && transport.sent === '') served++
    return transport.sent !== ''
  })
  t.equal(transport.sent, '+OK\r\n')
  t.ok(served >= 3, `${served} answers meanwhile`)
  t.equal(staging.holders, 0)
  t.same(names(), ['0:STAGE 1 0 ', '0:STAGE 1 8 ', '0:STAGE 1 16 ', '0:STAGED 1 1 2 SET k '])
  t.equal(harness.executor.keyspace.database(0).peek('k')!.value.memoryUsage() >= BYTES, true)
})

t.test('a relative expiry becomes absolute, the bytes stay where they are', async t => {
  const { transport, session, requestFor, turns, names } = setUp(t)
  session.onRequest(requestFor('SETEX', 'k', '100'))
  await turns(() => transport.sent !== '')
  t.match(names().at(-1), /^0:STAGED 1 1 2 SET k {2}PXAT \d+$/)
})

t.test('a cut that came all the same has the command journaled whole', async t => {
  const { staging, transport, session, requestFor, turns, names } = setUp(t)
  session.onRequest(requestFor('SET', 'k'))
  await turns(() => {
    staging.cuts++
    return transport.sent !== ''
  })
  t.equal(transport.sent, '+OK\r\n')
  t.equal(names().at(-1), '0:SET k ')
})

t.test('a refusal, a follower, MULTI, MONITOR or a command that knows no pieces stages nothing', async t => {
  const refused = setUp(t)
  refused.harness.durability.writeFault = 'MISCONF no disk'
  refused.session.onRequest(refused.requestFor('SET', 'k'))
  refused.harness.endTick()
  t.equal(refused.transport.sent, '-MISCONF no disk\r\n')
  t.same(refused.names(), [])

  const followed = setUp(t)
  Object.assign(followed.harness.sink, { staging: undefined })
  followed.session.onRequest(followed.requestFor('SET', 'k'))
  followed.harness.endTick()
  t.same([followed.transport.sent, followed.names()], ['+OK\r\n', ['0:SET k ']])

  const queued = setUp(t)
  queued.session.onRequest(requestOf(['MULTI']))
  queued.session.onRequest(queued.requestFor('SET', 'k'))
  queued.session.onRequest(requestOf(['EXEC']))
  queued.harness.endTick()
  t.equal(queued.transport.sent, '+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n')
  t.same(queued.names(), ['0:SET k '])

  const watched = setUp(t)
  watched.harness.executor.monitors.add(watched.harness.client().session)
  watched.session.onRequest(watched.requestFor('SET', 'k'))
  watched.harness.endTick()
  t.same([watched.transport.sent, watched.names()], ['+OK\r\n', ['0:SET k ']])

  const other = setUp(t)
  other.session.onRequest(other.requestFor('ECHO'))
  other.harness.endTick()
  t.equal(other.transport.sent.length, `$${BYTES}\r\n`.length + BYTES + 2)
  t.equal((other.harness.table.row('echo')!.flags & Flag.Write) === 0, true)
})

t.test('a client that goes leaves parts behind and holds no cut up', async t => {
  const { staging, session, requestFor, turns, names } = setUp(t)
  session.onRequest(requestFor('SET', 'k'))
  await turns(() => names().length > 0)
  session.close('now')
  await turns(() => staging.holders === 0)
  t.equal(staging.holders, 0)
  t.notOk(names().some(name => name.includes('STAGED')))
})

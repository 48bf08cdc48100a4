import t from 'tap'
import { ReplyError } from '../../src/base/errors.js'
import { LaterReplies } from '../../src/exec/later-replies.js'
import { ExecHarness } from '../support/exec-harness.js'

function setUp() {
  const harness = new ExecHarness([])
  t.teardown(() => harness.close())
  const client = harness.client()
  const later = new LaterReplies(harness.executor)
  return { harness, session: client.session, client, later }
}

t.test('the client waits, and is answered when the work has ended', async t => {
  const { session, later } = setUp()
  let finish: () => void = () => undefined
  later.begin(session, new Promise<void>(resolve => (finish = resolve)), reply => reply.ok())
  t.equal(session.halted, true)
  t.equal(session.reply.position, 0)
  finish()
  await new Promise(resolve => setImmediate(resolve))
  t.equal(session.halted, false)
})

t.test('work that fails is answered with its reason; so is an answer that throws', async t => {
  const { client, harness, later, session } = setUp()
  later.begin(session, Promise.reject(new Error('no room')), reply => reply.ok())
  await Promise.resolve().then(() => undefined)
  await new Promise(resolve => setImmediate(resolve))
  harness.endTick()
  t.equal(client.transport.sent, '-ERR no room\r\n')
  later.begin(session, Promise.resolve(), () => {
    throw new ReplyError('ERR not so')
  })
  await new Promise(resolve => setImmediate(resolve))
  harness.endTick()
  t.equal(client.transport.sent, '-ERR no room\r\n-ERR not so\r\n')
})

t.test('in a transaction nobody waits', async t => {
  const { harness, session, later } = setUp()
  harness.executor.context.enterGroup()
  later.begin(session, Promise.reject(new Error('unheard')), reply => reply.ok())
  harness.executor.context.leaveGroup()
  t.equal(session.halted, false)
  t.equal(session.reply.position, 5)
})

t.test('a client that went away is not answered', async t => {
  const { session, later } = setUp()
  let asked = false
  later.begin(session, Promise.resolve(), () => (asked = true))
  session.onClose()
  await new Promise(resolve => setImmediate(resolve))
  t.equal(asked, false)
})

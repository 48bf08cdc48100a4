import t from 'tap'
import { ClientSession } from '../../src/exec/session.js'
import type { SessionHost } from '../../src/exec/session.js'
import { LargeArgument } from '../../src/resp/large-argument.js'
import { LargeRequest } from '../../src/resp/large-request.js'
import { requestOf } from '../../src/resp/request.js'
import { FakeTransport } from '../support/exec-harness.js'

class FakeHost implements SessionHost {
  nowMs = 1000
  passwordRequired = false
  readonly defaultUser = {} as SessionHost['defaultUser']
  readonly events: string[] = []
  /** What a command does; the words are its name and nothing else. */
  onExecute: (session: ClientSession) => void = () => undefined
  execute(session: ClientSession, request: { text(i: number): string }): void {
    this.events.push(request.text(0))
    this.onExecute(session)
  }
  executeLarge(session: ClientSession, request: { text(i: number): string }): void {
    this.events.push(`large ${request.text(0)}`)
    this.onExecute(session)
  }
  enlist(): void {
    this.events.push('enlist')
  }
  unblock(_session: ClientSession, how: string): boolean {
    this.events.push(`unblock ${how}`)
    return true
  }
  reset(): void {
    this.events.push('reset')
  }
  stopWaiting(): void {
    this.events.push('stop waiting')
  }
  closed(): void {
    this.events.push('closed')
  }
  noteMemory() {}
  outputFull() {
    return false
  }
  countError(): void {}
  overOutputLimit(session: ClientSession): boolean {
    this.events.push(`output ${session.outputBytes}`)
    return false
  }
}

class CountingTransport extends FakeTransport {
  resumes = 0
  readonly limits: unknown[] = []
  override onResume = () => void this.resumes++
  override setParserLimits(...limits: unknown[]): void {
    this.limits.push(...limits)
  }
}

function setUp(passwordRequired = false) {
  const host = new FakeHost()
  host.passwordRequired = passwordRequired
  const transport = new CountingTransport()
  return { host, transport, session: new ClientSession(1, transport, host) }
}

t.test('parsing goes on until a command makes the client wait or end', async t => {
  const { host, session } = setUp()
  t.equal(session.onRequest(requestOf(['ping'])), 'go-on')
  host.onExecute = each => each.busy++
  t.equal(session.onRequest(requestOf(['save'])), 'stop')
  session.busy = 0
  host.onExecute = each => (each.postponed = requestOf(['set']))
  t.equal(session.onRequest(requestOf(['set'])), 'stop')
  session.postponed = undefined
  host.onExecute = each => each.close('after-reply')
  t.equal(session.onRequest(requestOf(['quit'])), 'stop')
  t.equal(session.onRequest(requestOf(['ping'])), 'stop', 'and executes nothing')
  t.same(host.events, ['ping', 'save', 'set', 'quit', 'stop waiting', 'enlist'])
})

t.test('going on runs what was kept back before what the client sent meanwhile', async t => {
  const { host, transport, session } = setUp()
  session.postponed = requestOf(['set'])
  session.busy = 1
  session.goOn()
  t.same([host.events, transport.resumes], [[], 0], 'not while something else holds it')
  session.busy = 0
  host.onExecute = each => (each.postponed = requestOf(['again']))
  session.goOn()
  t.same([host.events, transport.resumes], [['set'], 0], 'kept back again')
  host.onExecute = () => undefined
  session.goOn()
  t.same([host.events, transport.resumes], [['set', 'again'], 1])
})

t.test('output leaves in the order in which it was sealed, and is counted until it has', async t => {
  const { host, transport, session } = setUp()
  session.reply.latin1('one')
  const first = session.seal()
  session.reply.latin1('two')
  const second = session.seal()
  session.reply.latin1('three')
  t.equal(session.outputBytes, 9 + 9 + 11)
  t.equal(session.outputChunks, 2)
  session.release(second)
  t.equal(transport.sent, '')
  transport.unsentBytes = 4
  session.release(first)
  t.equal(transport.sent, '$3\r\none\r\n$3\r\ntwo\r\n')
  t.equal(session.outputBytes, 11 + 4)
  t.same(host.events.at(-1), 'output 15', 'what the kernel does not take is held against the limits')
})

t.test('the connection ends behind the last output', async t => {
  const { transport, session } = setUp()
  session.reply.ok()
  session.close('after-reply')
  t.equal(transport.ended, false)
  session.release(session.seal())
  t.equal(transport.sent, '+OK\r\n')
  t.equal(transport.ended, true)
  session.close('now')
  t.equal(transport.destroyed, true)
})

t.test('a broken protocol is answered once; nothing follows', async t => {
  const { transport, session } = setUp()
  session.onFault('Protocol error: expected')
  session.onFault('Protocol error: again')
  session.release(session.seal())
  t.equal(transport.sent, '-ERR Protocol error: expected\r\n')
  t.equal(transport.ended, true)
})

t.test('of a connection that is gone the host hears once; its output is dropped', async t => {
  const { host, transport, session } = setUp()
  session.reply.ok()
  const output = session.seal()
  session.onClose()
  session.onClose()
  session.release(output)
  t.same(host.events, ['closed'])
  t.equal(transport.sent, '')
  t.equal(session.outputBytes, 0)
})

t.test('who has not authenticated has the small limits of the parser, and gets them back by RESET', async t => {
  const { transport, session } = setUp(true)
  t.equal(session.authenticated, false)
  session.authenticated = true
  session.authenticated = true
  t.same(transport.limits, [{ unauthenticated: true }, { unauthenticated: false }])
  Object.assign(session, { name: 'me', databaseIndex: 3, protocol: 3, replyMode: 'off', noTouch: true })
  session.reset()
  t.match(session, { name: '', databaseIndex: 0, protocol: 2, replyMode: 'on', noTouch: false, authenticated: false })
  t.same(transport.limits.at(-1), { unauthenticated: true })
})

t.test('a message does not stand inside the reply of the client’s own command', async t => {
  const { transport, session } = setUp()
  session.speaking = true
  session.push([Buffer.from('>message')])
  session.reply.ok()
  session.endSpeaking()
  session.push([Buffer.from('>next')])
  session.release(session.seal())
  t.equal(transport.sent, '+OK\r\n>message>next')
})

t.test('the time limit for idle clients is not for those who wait for something', async t => {
  const { session } = setUp()
  t.equal(session.mayIdle(), false)
  session.monitoring = true
  t.equal(session.mayIdle(), true)
  session.monitoring = false
  session.subscriber = true
  t.equal(session.mayIdle(), true)
})

t.test('a request in pieces takes its own way until the journal has its bytes', async t => {
  const { host, session } = setUp()
  const argument = new LargeArgument(4)
  argument.take(Buffer.from('long'), 0, 4)
  const request = new LargeRequest(requestOf(['set', 'k', '']), new Map([[2, argument]]))
  session.onRequest(request)
  argument.staged = { id: 1, cuts: 0 }
  session.postponed = request
  session.goOn()
  t.same(host.events, ['large set', 'set'])
})

import t from 'tap'
import { Flag } from '../../src/commands/spec.js'
import { CommandTable } from '../../src/commands/table.js'
import { Admission } from '../../src/exec/admission.js'
import type { AdmissionState } from '../../src/exec/admission.js'
import { TransactionQueue } from '../../src/exec/multi.js'
import type { PauseMode } from '../../src/exec/pause.js'
import type { ClientSession } from '../../src/exec/session.js'
import { requestOf } from '../../src/resp/request.js'
import { command } from './command-fixture.js'

const nothing = () => undefined
const table = new CommandTable([
  command('exec', 1, 0, nothing),
  command('get', 2, Flag.ReadOnly, nothing),
  command('set', 3, Flag.Write | Flag.DenyOom, nothing),
  command('auth', -2, Flag.NoAuth | Flag.Loading, nothing),
  command('nomulti', 1, Flag.NoMulti, nothing),
  command('publish', 3, Flag.MayReplicate, nothing),
  command('eval', -3, Flag.MayReplicate | Flag.SkipMonitor, nothing),
])

function setUp() {
  const state = {
    loading: false,
    held: false,
    memory: { bytesMax: 0, makeRoom: () => true },
    passwordRequired: false,
    pause: { mode: undefined as PauseMode | undefined },
    server: {
      durability: { writeFault: undefined as string | undefined, congested: false },
      config: { values: { minReplicasToWrite: 0 } },
      scripts: { commandFlags: () => state.announced },
    },
    /** Flags that a script announces. */
    announced: Flag.Write as number,
  }
  const session = {
    authenticated: true,
    account: { unrestricted: true },
    multi: undefined as TransactionQueue | undefined,
    subscriber: false,
    monitoring: false,
    subscriptions: 0,
    patternSubscriptions: 0,
    protocol: 2,
  }
  const admission = new Admission(state as unknown as AdmissionState, table.row('exec'))
  const client = session as unknown as ClientSession
  const refusal = (name: string, argc = Math.abs(table.row(name)!.spec.arity)) =>
    admission.refusal(client, table.row(name)!, requestOf(Array.from({ length: argc }, () => name)))?.split(' ')[0]
  const waits = (name: string) => admission.mustWait(client, table.row(name)!, requestOf([name]))
  const queue = (name: string) => {
    session.multi ??= new TransactionQueue()
    session.multi.add(table.row(name)!, requestOf([name]))
  }
  return { state, session, admission, refusal, waits, queue }
}

t.test('a command with the right number of arguments may run', async t => {
  const { refusal } = setUp()
  t.equal(refusal('get'), undefined)
  t.equal(refusal('get', 3), 'ERR')
  t.equal(refusal('auth', 5), undefined)
  t.equal(refusal('auth', 1), 'ERR')
})

t.test('who must authenticate may only do so', async t => {
  const { state, session, refusal } = setUp()
  state.passwordRequired = true
  session.authenticated = false
  t.equal(refusal('get'), 'NOAUTH')
  t.equal(refusal('auth'), undefined)
  t.equal(refusal('get', 5), 'ERR', 'the arity comes first')
})

t.test('short memory refuses what needs more, a journal that fails all writes', async t => {
  const { state, refusal } = setUp()
  state.server.durability.writeFault = 'MISCONF why'
  t.equal(refusal('set'), 'MISCONF')
  t.equal(refusal('get'), undefined)
  state.memory.bytesMax = 1
  t.equal(refusal('set'), 'OOM', 'memory comes before it')
  t.equal(refusal('get'), undefined)
})

t.test('replicas that are wanted and never come refuse all writes', async t => {
  const { state, refusal } = setUp()
  state.server.config.values.minReplicasToWrite = 1
  t.equal(refusal('set'), 'NOREPLICAS')
  t.equal(refusal('get'), undefined)
})

t.test('a script waits as what it announces to be', async t => {
  const { state, admission, waits } = setUp()
  state.pause.mode = 'write'
  t.equal(waits('eval'), true)
  state.announced = Flag.ReadOnly
  t.equal(waits('eval'), false)
  t.equal(admission.flagsOf(table.row('eval')!, requestOf(['eval'])), Flag.ReadOnly)
  t.equal(admission.flagsOf(table.row('set')!, requestOf(['set'])), Flag.Write | Flag.DenyOom)
})

t.test('EXEC is judged by what it is going to run', async t => {
  const { state, session, refusal, waits, queue } = setUp()
  state.memory.bytesMax = 1
  state.pause.mode = 'write'
  queue('get')
  t.equal(refusal('exec'), undefined)
  t.equal(waits('exec'), false)
  queue('set')
  t.equal(refusal('exec'), 'OOM')
  t.equal(waits('exec'), true)
  t.equal(refusal('nomulti'), 'ERR')
  session.multi = undefined
  t.equal(refusal('nomulti'), undefined)
})

t.test('while data is loading only what works without runs', async t => {
  const { state, refusal } = setUp()
  state.loading = true
  t.equal(refusal('get'), 'LOADING')
  t.equal(refusal('auth'), undefined)
})

t.test('a pause keeps back writes and what is like them, or everything', async t => {
  const { state, waits } = setUp()
  t.same(['get', 'set', 'publish'].map(waits), [false, false, false])
  state.pause.mode = 'write'
  t.same(['get', 'set', 'publish'].map(waits), [false, true, true])
  state.pause.mode = 'all'
  t.same(['get', 'set', 'publish'].map(waits), [true, true, true])
  state.pause.mode = undefined
  state.held = true
  t.same(['get', 'set', 'publish'].map(waits), [true, true, true])
})

t.test('in RESP2 a subscriber may only subscribe, and a client in MONITOR may touch no keys', async t => {
  const { session, refusal } = setUp()
  session.subscriber = true
  session.subscriptions = 1
  t.equal(refusal('get'), 'ERR')
  session.protocol = 3
  t.equal(refusal('get'), undefined)
  session.monitoring = true
  t.equal(refusal('get'), 'ERR')
  t.equal(refusal('auth'), undefined)
})

t.test('writes wait while a checkpoint has too much to bring in, reads do not', async t => {
  const { state, waits, queue } = setUp()
  state.server.durability.congested = true
  t.same(['set', 'get', 'auth'].map(waits), [true, false, false])
  queue('get')
  t.equal(waits('exec'), false)
  queue('set')
  t.equal(waits('exec'), true)
  state.server.durability.congested = false
  t.equal(waits('set'), false)
})

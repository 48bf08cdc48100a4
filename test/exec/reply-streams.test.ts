import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import type { LongReply } from '../../src/commands/long-reply.js'
import { defineCommand } from '../../src/commands/spec.js'
import { ExecHarness } from '../support/exec-harness.js'

const PIECE = 'p'.repeat(50_000)

/** A reply of so many pieces; each fetch may be held back. */
class Pieces implements LongReply {
  pinnedBytes = 11
  closed = 0
  written = 0
  fetched: (() => void) | undefined
  waits = false
  fails: Error | undefined

  constructor(readonly count: number) {}

  fetch(): Promise<void> | undefined {
    if (!this.waits || this.fetched !== undefined) return undefined
    return new Promise(resolve => (this.fetched = resolve))
  }

  write(reply: { latin1(text: string): void }): boolean {
    if (this.fails !== undefined) throw this.fails
    reply.latin1(PIECE)
    return ++this.written < this.count
  }

  close(): void {
    this.closed++
  }
}

function setUp(t: { teardown(work: () => void): void }, pieces: Pieces) {
  const long = defineCommand({
    name: 'long',
    arity: 1,
    flags: 0,
    categories: [],
    keys: [],
    group: 'generic',
    since: '1.0.0',
    summary: 'Streams.',
    complexity: 'O(1)',
    parse: () => undefined,
    run(ctx) {
      ctx.reply.array(pieces.count)
      if (ctx.mayStream) ctx.stream(pieces)
      else ctx.reply.status('whole')
    },
  })
  const ping = defineCommand({
    ...long,
    name: 'ping',
    run: (ctx: { reply: { ok(): void } }) => ctx.reply.ok(),
  } as never)
  const harness = new ExecHarness([long, ping])
  t.teardown(() => harness.close())
  return harness
}

const turns = async (count = 50) => {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}

t.test(
  'pieces follow the head, with turns for others in between, and what the client sent meanwhile comes behind',
  async t => {
    const pieces = new Pieces(40)
    const harness = setUp(t, pieces)
    const client = harness.client()
    client.send('LONG')
    client.send('PING')
    harness.endTick()
    t.equal(harness.executor.streams.count, 1)
    t.equal(harness.executor.streams.pinnedBytes, 11)
    await turns(2)
    t.ok(pieces.written > 0 && pieces.written < 40, `${pieces.written} pieces at once`)
    await turns()
    const body = `$50000\r\n${PIECE}\r\n`.repeat(40)
    t.ok(client.transport.sent === `*40\r\n${body}+OK\r\n`)
    t.same([harness.executor.streams.count, harness.executor.streams.pinnedBytes, pieces.closed], [0, 0, 1])
  },
)

t.test('nothing leaves before what was executed before it is durable', async t => {
  const harness = setUp(t, new Pieces(2))
  harness.holdCommits = true
  const client = harness.client()
  client.send('LONG')
  harness.endTick()
  await turns()
  t.equal(client.transport.sent, '')
  harness.holdCommits = false
  for (const done of harness.commits) done()
  await turns()
  t.ok(client.transport.sent.startsWith('*2\r\n$50000'))
})

t.test('no more is written than the client takes', async t => {
  const pieces = new Pieces(100)
  const harness = setUp(t, pieces)
  const client = harness.client()
  client.transport.unsentBytes = 1 << 20
  client.send('LONG')
  harness.endTick()
  await turns()
  t.equal(pieces.written, 0)
  client.transport.unsentBytes = 0
  client.session.onDrain()
  await turns(2)
  t.ok(pieces.written > 0)
  client.transport.unsentBytes = 1 << 20
  await turns()
  const { written } = pieces
  await turns()
  t.equal(pieces.written, written)
})

t.test('a reply waits for what it fetches', async t => {
  const pieces = new Pieces(3)
  pieces.waits = true
  const harness = setUp(t, pieces)
  const client = harness.client()
  client.send('LONG')
  harness.endTick()
  await turns()
  client.session.onDrain()
  t.equal(pieces.written, 0)
  pieces.fetched!()
  await turns()
  t.equal(pieces.written, 3)
})

t.test('messages to the client wait for the end of its reply, and count as its output', async t => {
  const harness = setUp(t, new Pieces(3))
  const client = harness.client()
  client.transport.unsentBytes = 1 << 20
  client.send('LONG')
  harness.endTick()
  client.session.push([Buffer.from('+message\r\n')])
  t.ok(client.session.outputBytes >= 10)
  client.transport.unsentBytes = 0
  client.session.onDrain()
  await turns()
  t.ok(client.transport.sent.endsWith(`${PIECE}\r\n+message\r\n`))
})

t.test('a client that goes lets go of its reply', async t => {
  const pieces = new Pieces(100)
  const harness = setUp(t, pieces)
  const client = harness.client()
  client.send('LONG')
  harness.endTick()
  client.session.onClose()
  t.same([harness.executor.streams.count, pieces.closed], [0, 1])
  const { written } = pieces
  await turns()
  t.equal(pieces.written, written)
  t.equal(pieces.closed, 1)
})

t.test('a client that takes nothing for too long is closed; one that takes something is not', async t => {
  const pieces = new Pieces(100)
  const harness = setUp(t, pieces)
  const client = harness.client()
  client.transport.unsentBytes = 1 << 20
  client.send('LONG')
  harness.endTick()
  harness.clock.advance(59_000)
  harness.executor.deadlines.run()
  client.session.onDrain()
  harness.clock.advance(59_000)
  harness.executor.deadlines.run()
  t.notOk(client.transport.destroyed)
  harness.clock.advance(2000)
  harness.executor.deadlines.run()
  t.ok(client.transport.destroyed)
  t.same(harness.stalled, [client.session.id])
  t.same([harness.executor.streams.count, pieces.closed], [0, 1])
})

t.test('a client that will send nothing more gets its whole reply, and then the end', async t => {
  const harness = setUp(t, new Pieces(30))
  const client = harness.client()
  client.send('LONG')
  harness.endTick()
  client.session.onInputEnd()
  harness.endTick()
  t.notOk(client.transport.ended)
  await turns()
  t.equal(client.transport.sent.length, 5 + 30 * (PIECE.length + 10))
  t.ok(client.transport.ended)
})

t.test('damage met in the middle breaks the connection: the head has promised more', async t => {
  const pieces = new Pieces(3)
  pieces.fails = new CorruptionError('page 7 is damaged')
  const harness = setUp(t, pieces)
  const client = harness.client()
  client.send('LONG')
  harness.endTick()
  await turns()
  t.ok(client.transport.destroyed)
  t.same(harness.damages, ['page 7 is damaged'])
  t.equal(pieces.closed, 1)
  const other = new Pieces(3)
  other.fails = new TypeError('a defect')
  const second = setUp(t, other)
  second.client().send('LONG')
  second.endTick()
  await turns()
  t.equal(second.panics.length, 1)
})

t.test('inside MULTI and while replies are off, replies are whole', async t => {
  const harness = setUp(t, new Pieces(3))
  const client = harness.client()
  client.send('MULTI')
  client.send('LONG')
  t.equal(client.ask('EXEC'), '+OK\r\n+QUEUED\r\n*1\r\n*3\r\n+whole\r\n')
  client.session.replyMode = 'off'
  t.equal(client.ask('LONG'), '')
  t.equal(harness.executor.streams.started, 0)
})

t.test('all can be ended, with their clients', async t => {
  const pieces = new Pieces(100)
  const harness = setUp(t, pieces)
  const client = harness.client()
  client.send('LONG')
  harness.endTick()
  harness.executor.streams.endAll()
  t.ok(client.transport.destroyed)
  t.same([harness.executor.streams.count, pieces.closed], [0, 1])
})

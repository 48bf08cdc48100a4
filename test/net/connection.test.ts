import { connect } from 'node:net'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { ClientHandler, Transport } from '../../src/exec/transport.js'
import { Listener, type ListenerOptions } from '../../src/net/listener.js'
import { ReplyWriter } from '../../src/resp/reply-writer.js'
import type { Request } from '../../src/resp/request.js'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { tempDir } from '../support/temp-dir.js'

/** Answers ECHO, HOLD (stop until release()), BIG and QUIT; records what it was told. */
class EchoHandler implements ClientHandler {
  readonly seen: string[] = []
  readonly reply = new ReplyWriter()
  drains = 0
  closes = 0
  constructor(readonly transport: Transport) {}

  onRequest(request: Request): 'go-on' | 'stop' {
    this.seen.push(request.text(0))
    if (request.is(0, 'HOLD')) return 'stop'
    if (request.is(0, 'BRIEFLY')) {
      this.transport.resume()
      return 'stop'
    }
    if (request.is(0, 'BIG')) this.reply.bulk(Buffer.alloc(Number(request.text(1)), 'x'))
    else this.reply.latin1(request.text(request.argc - 1))
    this.transport.send(this.reply.take())
    if (request.is(0, 'QUIT')) this.transport.endAfterSend()
    return 'go-on'
  }
  onFault(text: string): void {
    this.reply.error(`ERR ${text}`)
    this.transport.send(this.reply.take())
    this.transport.endAfterSend()
  }
  onDrain(): void {
    this.drains++
  }
  onClose(): void {
    this.closes++
  }
}

const TURN = { turnBegins: () => {}, turnEnds: () => {} }
const LIMITS = { bulkBytesMax: 2 ** 29, queryBytesMax: 100_000, unauthenticated: false }
const PLACE: ListenerOptions = { port: 0, bind: ['127.0.0.1'], unixPath: '', unixMode: 0, backlog: 16 }

async function start(t: Test, options: Partial<ListenerOptions> = {}) {
  const counters = { netInputBytes: 0, netOutputBytes: 0, connectionsReceived: 0, rejectedConnections: 0 }
  const handlers: EchoHandler[] = []
  const policy = { clientsMax: 100, keepAliveS: 300, idleS: 0, localOnly: true, parserLimits: LIMITS }
  const listener = new Listener(
    { ...PLACE, ...options },
    policy,
    counters,
    transport => {
      const handler = new EchoHandler(transport)
      handlers.push(handler)
      return handler
    },
    TURN,
  )
  await listener.listen()
  t.teardown(() => listener.close())
  const client = await RespClient.connect(listener.port, options.unixPath ? { path: options.unixPath } : {})
  t.teardown(() => client.close())
  await client.command('ECHO', 'ready')
  return { listener, counters, handlers, handler: handlers[0], client }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn()
}

t.test('pipelined commands are answered in order, however they are cut', async t => {
  const { client, counters, handler } = await start(t)
  const bytes = Buffer.concat(['a', 'b', 'c', 'd'].map(text => encodeCommand(['ECHO', text])))
  const [input, output] = [counters.netInputBytes, counters.netOutputBytes]
  for (const byte of bytes) client.send(Buffer.of(byte))
  for (const text of ['a', 'b', 'c', 'd']) t.equal((await client.reply()).toString(), `$1\r\n${text}\r\n`)
  t.equal(counters.netInputBytes - input, bytes.length)
  t.equal(counters.netOutputBytes - output, 4 * 7)
  t.match(handler.transport.address, /^127\.0\.0\.1:\d+$/)
  t.equal(handler.transport.localAddress, `127.0.0.1:${client.socket.remotePort}`)
  t.notOk(handler.transport.unix)
  t.ok(handler.transport.fd > 0)
})

t.test('a stopped client is not parsed until it is resumed, and nothing it sent is lost', async t => {
  const { client, handler } = await start(t)
  client.send(encodeCommand(['HOLD']))
  await until(() => handler.seen.includes('HOLD'))
  const held = Buffer.concat(Array.from({ length: 500 }, (_, i) => encodeCommand(['ECHO', String(i)])))
  for (let at = 0; at < held.length; at += 1000) {
    client.send(held.subarray(at, at + 1000))
    await until(() => handler.transport.bufferedInputBytes >= Math.min(at + 1000, held.length))
  }
  t.equal(handler.seen.at(-1), 'HOLD')
  handler.transport.resume()
  t.equal(handler.seen.length, 2 + 500, 'parsed from inside resume()')
  t.equal(handler.transport.bufferedInputBytes, 0)
  for (let i = 0; i < 500; i++) await client.reply()
  client.send(Buffer.concat([encodeCommand(['BRIEFLY']), encodeCommand(['ECHO', 'on'])]))
  t.equal((await client.reply()).toString(), '$2\r\non\r\n', 'resume() from inside onRequest')
})

t.test('a stopped client that sends more than its limit is disconnected', async t => {
  const { client, handler } = await start(t)
  client.send(encodeCommand(['HOLD']))
  client.send(Buffer.alloc(LIMITS.queryBytesMax * 3, 'x'))
  await client.closed()
  await until(() => handler.closes > 0)
  t.equal(handler.closes, 1)
})

t.test('a raised limit applies to a connection that exists', async t => {
  const { client, listener } = await start(t)
  listener.setParserLimits({ queryBytesMax: 10_000_000 })
  const text = 'y'.repeat(1_000_000)
  t.equal(await client.text('ECHO', text), `$1000000\r\n${text}\r\n`)
  listener.setParserLimits({ bulkBytesMax: 10 })
  t.equal(await client.text('ECHO', '12345678901'), '-ERR Protocol error: invalid bulk length\r\n')
  await client.closed()
})

t.test('a fault is answered after the commands before it, then the connection ends', async t => {
  const { client, handler } = await start(t)
  client.send('ECHO first\r\n*x\r\nECHO never\r\n')
  t.equal((await client.reply()).toString(), '$5\r\nfirst\r\n')
  t.equal((await client.reply()).toString(), '-ERR Protocol error: invalid multibulk length\r\n')
  t.equal((await client.closed()).length, 0)
  await until(() => handler.closes > 0)
  t.same(handler.seen, ['ECHO', 'ECHO'])
})

t.test('unsent output is counted until it left, and the handler hears of it', async t => {
  const { client, handler } = await start(t)
  client.socket.pause()
  const bytes = 16 * 1024 * 1024
  client.send(encodeCommand(['BIG', String(bytes)]))
  await until(() => handler.seen.includes('BIG'))
  t.ok(handler.transport.unsentBytes > 0)
  t.ok(handler.transport.unsentChunks > 0)
  client.socket.resume()
  await until(() => handler.transport.unsentBytes === 0)
  t.ok(handler.drains > 0)
  t.equal(handler.transport.unsentChunks, 0)
})

t.test('many pieces are sent in order', async t => {
  const { client, handler } = await start(t)
  const pieces = Array.from({ length: 3000 }, (_, i) => Buffer.from(`:${i}\r\n`))
  handler.transport.send(pieces)
  for (let i = 0; i < 3000; i++) {
    const reply = (await client.reply()).toString()
    if (reply !== `:${i}\r\n`) t.fail(`piece ${i}: ${reply}`)
  }
})

t.test('endAfterSend sends what was handed over and parses nothing more', async t => {
  const { client, handler } = await start(t)
  client.send(Buffer.concat([encodeCommand(['QUIT', 'bye']), encodeCommand(['ECHO', 'never'])]))
  t.equal((await client.reply()).toString(), '$3\r\nbye\r\n')
  t.equal((await client.closed()).length, 0)
  await until(() => handler.closes > 0)
  t.equal(handler.seen.at(-1), 'QUIT')
})

t.test('after the end everything is harmless and onClose was called once', async t => {
  const { client, handler, listener } = await start(t)
  client.socket.resetAndDestroy()
  await until(() => handler.closes > 0)
  const { transport } = handler
  transport.send([Buffer.from('late')])
  transport.resume()
  transport.pauseReading()
  transport.endAfterSend()
  transport.destroy()
  await turn()
  t.ok(transport.closed)
  t.equal(transport.unsentBytes, 0)
  t.equal(handler.closes, 1)
  t.equal(listener.connectionCount, 0)
})

t.test('a client that shuts down its side still gets its replies', async t => {
  const { listener, handlers } = await start(t)
  const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true })
  const received: Buffer[] = []
  socket.on('data', bytes => received.push(bytes))
  socket.end('ECHO one\r\nECHO two\r\n')
  await new Promise(resolve => socket.once('close', resolve))
  t.equal(Buffer.concat(received).toString(), '$3\r\none\r\n$3\r\ntwo\r\n')
  await until(() => handlers[1].closes > 0)
})

t.test('a paused connection reads nothing', async t => {
  const { client, handler } = await start(t)
  handler.transport.pauseReading()
  client.send(encodeCommand(['ECHO', 'waits']))
  for (let i = 0; i < 20; i++) await turn()
  t.same(handler.seen, ['ECHO'])
  handler.transport.pauseReading(false)
  t.equal((await client.reply()).toString(), '$5\r\nwaits\r\n')
})

t.test('a Unix socket client has the path as its address', async t => {
  const unixPath = join(tempDir(t), 'test.sock')
  const { client, handler } = await start(t, { unixPath })
  t.equal(await client.text('ECHO', 'x'), '$1\r\nx\r\n')
  t.equal(handler.transport.address, `${unixPath}:0`)
  t.equal(handler.transport.localAddress, `${unixPath}:0`)
  t.ok(handler.transport.unix)
})

t.test('a command that there is no memory for ends its connection with the reason, and no other', async t => {
  const { client, listener } = await start(t)
  const other = await RespClient.connect(listener.port)
  t.teardown(() => other.close())
  const real = Buffer.allocUnsafeSlow
  t.teardown(() => (Buffer.allocUnsafeSlow = real))
  Buffer.allocUnsafeSlow = bytes => {
    if (bytes > 2000) throw new RangeError('Array buffer allocation failed')
    return real(bytes)
  }
  client.send(`*2\r\n$4\r\nECHO\r\n$9000\r\n${'x'.repeat(3000)}`)
  t.equal((await client.closed()).toString(), '-ERR the system gives no memory for the rest of this command\r\n')
  t.equal(await other.text('ECHO', 'still'), '$5\r\nstill\r\n')
})

import { statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ClientHandler, Transport } from '../../src/exec/transport.js'
import { Listener, type DoorPolicy, type ListenerOptions } from '../../src/net/listener.js'
import { freePort } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { tempDir } from '../support/temp-dir.js'

const TURN = { turnBegins: () => {}, turnEnds: () => {} }
const LIMITS = { bulkBytesMax: 2 ** 29, queryBytesMax: 2 ** 30, unauthenticated: false }
const PLACE: ListenerOptions = { port: 0, bind: ['127.0.0.1'], unixPath: '', unixMode: 0, backlog: 16 }

function newListener(t: Test, options: Partial<ListenerOptions> = {}, policy: Partial<DoorPolicy> = {}, idles = false) {
  const counters = { netInputBytes: 0, netOutputBytes: 0, connectionsReceived: 0, rejectedConnections: 0 }
  const door = { clientsMax: 10, keepAliveS: 0, idleS: 0, localOnly: true, parserLimits: LIMITS, ...policy }
  const accept = (transport: Transport): ClientHandler => ({
    onRequest() {
      transport.send([Buffer.from('+PONG\r\n')])
      return 'go-on'
    },
    onFault: () => transport.destroy(),
    mayIdle: () => idles,
    onClose: () => undefined,
  })
  const listener = new Listener({ ...PLACE, ...options }, door, counters, accept, TURN)
  t.teardown(() => listener.close())
  return { listener, counters }
}

async function pings(port: number, host = '127.0.0.1', path?: string): Promise<string> {
  const client = await RespClient.connect(port, { host, path })
  const reply = await client.text('PING').catch(String)
  client.close()
  return reply
}

t.test('listens on every address with one port, and passes over optional ones that are missing', async t => {
  const { listener } = newListener(t, { bind: ['127.0.0.1', '-192.0.2.1', '127.0.0.2'] })
  await listener.listen()
  t.equal(await pings(listener.port), '+PONG\r\n')
  t.equal(await pings(listener.port, '127.0.0.2'), '+PONG\r\n')
})

t.test('an address that cannot be had is named, and nothing listens', async t => {
  const taken = createServer()
  await new Promise<void>(resolve => taken.listen(0, '127.0.0.2', resolve))
  t.teardown(() => taken.close())
  const { port } = taken.address() as { port: number }
  const { listener } = newListener(t, { bind: ['127.0.0.1', '127.0.0.2'], port })
  await t.rejects(listener.listen(), {
    name: 'UsageError',
    message: /cannot listen on 127\.0\.0\.2 port \d+: .*EADDRINUSE/,
  })
  await t.rejects(RespClient.connect(port), { code: 'ECONNREFUSED' })
  const none = newListener(t, { bind: ['-192.0.2.1'] }).listener
  await t.rejects(none.listen(), /none of the bind addresses can be used: -192\.0\.2\.1/)
})

t.test('without a port there is no TCP', async t => {
  const unixPath = join(tempDir(t), 'only.sock')
  const { listener } = newListener(t, { port: undefined, unixPath })
  await listener.listen()
  t.equal(listener.port, 0)
  t.equal(await pings(0, undefined, unixPath), '+PONG\r\n')
})

t.test('the Unix socket has its permissions, replaces a stale one and spares other files', async t => {
  const unixPath = join(tempDir(t), 'perm.sock')
  const first = newListener(t, { unixPath, unixMode: 0o700 }).listener
  await first.listen()
  t.equal(statSync(unixPath).mode & 0o777, 0o700)
  const second = newListener(t, { unixPath, unixMode: 0o770 }).listener
  await second.listen()
  t.equal(statSync(unixPath).mode & 0o777, 0o770)
  t.equal(await pings(0, undefined, unixPath), '+PONG\r\n')
  const file = join(tempDir(t), 'file')
  writeFileSync(file, 'precious')
  await t.rejects(newListener(t, { unixPath: file }).listener.listen(), { name: 'UsageError' })
  t.equal(statSync(file).size, 8)
})

t.test('clients above the limit are refused in words', async t => {
  const { listener, counters } = newListener(t, {}, { clientsMax: 1 })
  await listener.listen()
  const inside = await RespClient.connect(listener.port)
  t.equal(await inside.text('PING'), '+PONG\r\n')
  const outside = await RespClient.connect(listener.port)
  t.equal((await outside.reply()).toString(), '-ERR max number of clients reached\r\n')
  await outside.closed()
  t.match(counters, { connectionsReceived: 1, rejectedConnections: 1 })
  inside.close()
})

const elsewhere = Object.values(networkInterfaces())
  .flatMap(addresses => addresses ?? [])
  .find(address => address.family === 'IPv4' && !address.internal)?.address

t.test('protected mode lets in this machine only', { skip: elsewhere === undefined }, async t => {
  const { listener, counters } = newListener(t, { bind: ['*'] })
  await listener.listen()
  t.equal(await pings(listener.port), '+PONG\r\n')
  const client = await RespClient.connect(listener.port, { host: elsewhere })
  t.match((await client.reply()).toString(), /^-DENIED .*requirepass/)
  await client.closed()
  t.equal(counters.rejectedConnections, 1)
  const open = newListener(t, { bind: ['*'] }, { localOnly: false }).listener
  await open.listen()
  t.equal(await pings(open.port, elsewhere), '+PONG\r\n')
})

t.test('rebind moves the port; connections survive', async t => {
  const { listener } = newListener(t)
  await listener.listen()
  const before = listener.port
  const client = await RespClient.connect(before)
  await listener.rebind({ port: await freePort(), bind: ['127.0.0.1'] })
  t.not(listener.port, before)
  t.equal(await client.text('PING'), '+PONG\r\n')
  t.equal(await pings(listener.port), '+PONG\r\n')
  await t.rejects(RespClient.connect(before), { code: 'ECONNREFUSED' })
  client.close()
})

t.test('rebind on the same port changes the addresses', async t => {
  const { listener } = newListener(t)
  await listener.listen()
  const { port } = listener
  await listener.rebind({ port, bind: ['127.0.0.2'] })
  t.equal(await pings(port, '127.0.0.2'), '+PONG\r\n')
  await t.rejects(RespClient.connect(port), { code: 'ECONNREFUSED' })
})

t.test('a rebind that fails leaves everything as it was', async t => {
  const { listener } = newListener(t)
  await listener.listen()
  const { port } = listener
  await t.rejects(listener.rebind({ port, bind: ['127.0.0.2', '192.0.2.1'] }), { name: 'UsageError' })
  t.equal(listener.port, port)
  t.equal(await pings(port), '+PONG\r\n')
  await t.rejects(listener.rebind({ port: await freePort(), bind: ['192.0.2.1'] }), { name: 'UsageError' })
  t.equal(listener.port, port)
  t.equal(await pings(port), '+PONG\r\n')
})

t.test('idle clients are shown out after the timeout, unless they may idle', async t => {
  const impatient = newListener(t, {}, { idleS: 1 }).listener
  const patient = newListener(t, {}, { idleS: 1 }, true).listener
  await impatient.listen()
  await patient.listen()
  const [out, inside] = [await RespClient.connect(impatient.port), await RespClient.connect(patient.port)]
  await inside.command('PING')
  await out.command('PING')
  for (const listener of [impatient, patient]) listener.countSecond()
  t.equal(await out.text('PING'), '+PONG\r\n', 'whoever does something stays')
  for (const listener of [impatient, patient, impatient, patient]) listener.countSecond()
  await out.closed()
  t.equal(await inside.text('PING'), '+PONG\r\n')
  inside.close()
})

t.test('close ends connections and listening', async t => {
  const { listener } = newListener(t)
  await listener.listen()
  const { port } = listener
  const client = await RespClient.connect(port)
  await client.command('PING')
  await listener.close()
  t.equal(listener.connectionCount, 0)
  await client.closed()
  await t.rejects(RespClient.connect(port), { code: 'ECONNREFUSED' })
})

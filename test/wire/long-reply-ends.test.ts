// How long replies end before their time: clients that die, are killed or stop reading, reloads, the server's end.

import t from 'tap'
import { startInProcess } from '../support/in-process.js'
import type { RespClient } from '../support/resp-client.js'
import { becomes, SlowReader } from '../support/slow-reader.js'
import { tempDir } from '../support/temp-dir.js'

const VALUE = 'x'.repeat(30_000)
const ENTRIES = 300

async function fill(client: RespClient, entries: number): Promise<void> {
  for (let i = 1; i <= entries; i += 100) {
    const commands = Array.from({ length: 100 }, (_, j) => `XADD s ${i + j}-1 f ${VALUE}\r\n`)
    client.send(commands.join(''))
    for (let j = 0; j < 100; j++) await client.reply()
  }
}

async function running(t: { teardown(work: () => Promise<void> | void): void }, values = {}) {
  const started = await startInProcess(t, tempDir(t), { pageCacheBytes: 1024 * 1024, ...values })
  const client = await started.connect()
  await fill(client, ENTRIES)
  const reader = await SlowReader.over(t, started.port)
  reader.send('XRANGE', 's', '-', '+')
  await becomes(() => started.server.longReplies.count === 1)
  return { ...started, client, reader }
}

t.test('the reply of a client that dies is let go', async t => {
  const { server, reader, client } = await running(t)
  t.equal(server.longReplies.count, 1)
  t.match(await client.text('INFO', 'clients'), /long_replies_running:1\r\nlong_replies_started:1\r\n/)
  reader.socket.resetAndDestroy()
  t.ok(await becomes(() => server.longReplies.count === 0))
  t.equal(server.longReplies.pinnedBytes, 0)
})

t.test('CLIENT KILL ends it', async t => {
  const { server, client, reader } = await running(t)
  t.equal(await client.text('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'), ':1\r\n')
  t.ok(await becomes(() => server.longReplies.count === 0))
  await reader.toEnd()
  t.ok(reader.closed)
})

t.test('a client that takes nothing is closed after reply-stall-timeout', async t => {
  const { server, reader, lines } = await running(t, { replyStallTimeout: 1 })
  t.ok(await becomes(() => server.longReplies.count === 0))
  await reader.toEnd()
  t.ok(lines.some(line => line.includes('takes nothing of a long reply')))
})

t.test('a client that shuts its side down still gets all of its reply', async t => {
  const { reader } = await running(t)
  reader.socket.end()
  const text = await reader.toEnd()
  t.ok(text.length > ENTRIES * VALUE.length, `${text.length} bytes`)
  t.ok(text.endsWith(`${VALUE}\r\n`))
})

t.test('a reload ends the readers that it would pull the data away from', async t => {
  const { server, client, reader } = await running(t)
  t.equal(await client.text('DEBUG', 'RELOAD'), '+OK\r\n')
  t.equal(server.longReplies.count, 0)
  await reader.toEnd()
  t.equal(await client.text('XLEN', 's'), `:${ENTRIES}\r\n`)
})

t.test('the server ends although a reader takes nothing', async t => {
  const { server, reader, stopped } = await running(t)
  await server.close()
  t.same(stopped, [0])
  await reader.toEnd()
})

t.test('in a transaction the reply is whole, and the next client does not wait for a slow one', async t => {
  const { client, reader, server } = await running(t)
  await client.command('MULTI')
  await client.command('XRANGE', 's', '1', '100')
  const text = await client.text('EXEC')
  t.ok(text.startsWith('*1\r\n*100\r\n') && text.length > 100 * VALUE.length)
  t.equal(server.longReplies.count, 1, 'the slow one is still at it')
  t.equal(await client.text('PING'), '+PONG\r\n')
  reader.socket.destroy()
})

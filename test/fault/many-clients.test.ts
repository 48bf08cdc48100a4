// Ten thousand clients, or as many as the system lets two processes have: all of them are served at once, a storm of
// reconnects is served as well, slow ones hold nobody up, and the memory of those who went comes back.
// MANY_CLIENTS (10000) and STORMS (1) may be raised.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'

t.setTimeout(300_000)
const WANTED = Number(process.env.MANY_CLIENTS ?? 10_000)
const STORMS = Number(process.env.STORMS ?? 1)
/** Descriptors that a process needs for itself. */
const SPARE_FILES = 200
/** Connects under way at once. */
const WAVE = 500
const MIB = 1 << 20

function clientsPossible(): number {
  const limit = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim()
  return limit === 'unlimited' ? WANTED : Math.min(WANTED, Number(limit) - SPARE_FILES)
}

function anonymousBytes(pid: number): number {
  return 1024 * Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0)
}

async function connectAll(port: number, count: number): Promise<RespClient[]> {
  const clients: RespClient[] = []
  while (clients.length < count) {
    const wave = Math.min(WAVE, count - clients.length)
    clients.push(...(await Promise.all(Array.from({ length: wave }, () => RespClient.connect(port)))))
  }
  return clients
}

const numberOf = (text: string, name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text)?.[1])

t.test('all clients are served, and again after each storm of reconnects', async t => {
  const count = clientsPossible()
  t.comment(`${count} clients`)
  const server = await startServer({ args: ['--maxclients', String(count + 10)] })
  t.teardown(() => server.stop())
  const admin = await RespClient.connect(server.port)
  t.teardown(() => admin.close())
  const clientsHeld = async () => numberOf(await admin.text('INFO', 'clients'), 'connected_clients')
  const untilGone = async () => {
    while ((await clientsHeld()) > 1) await sleep(10)
  }
  const [before, memory] = [anonymousBytes(server.pid), numberOf(await admin.text('INFO', 'memory'), 'used_memory')]
  const after: number[] = []
  for (let storm = 0; storm <= STORMS; storm++) {
    const clients = await connectAll(server.port, count)
    const replies = await Promise.all(clients.map(client => client.text('INCR', 'counter')))
    const numbers = new Set(replies.map(reply => Number(/^:(\d+)\r\n$/.exec(reply)?.[1])))
    t.equal(numbers.size, count, 'each was given a number of its own')
    t.equal(Math.max(...numbers), count * (storm + 1), 'and no command was run twice or lost')
    t.equal(await clientsHeld(), count + 1)
    // Half of them go in mid-command, as in a crash of their host.
    for (const [i, client] of clients.entries()) {
      if (i % 2 === 0) client.send('*2\r\n$4\r\nINCR\r\n$9\r\nnev')
      client.close()
    }
    await untilGone()
    after.push(anonymousBytes(server.pid))
  }
  t.equal(await admin.text('GET', 'never'), '$-1\r\n')
  const used = numberOf(await admin.text('INFO', 'memory'), 'used_memory')
  t.ok(used < memory + MIB, `used_memory came back: ${memory} bytes before, ${used} after`)
  t.comment(`anonymous memory: ${before} before, ${after.join(', ')} after each`)
  t.ok(after[0] - before < count * 16_384, `${(after[0] - before) / count} bytes a client are left in the process`)
  t.ok(after.at(-1)! < after[0] * 1.5 + 32 * MIB, 'and storms do not add up')
})

t.test('slow clients hold nobody up, and their memory is bounded', async t => {
  const slowCount = 50
  const args = ['--client-output-buffer-limit', 'normal 4mb 0 0', '--reply-stall-timeout', '1']
  const server = await startServer({ args })
  t.teardown(() => server.stop())
  const fast = await RespClient.connect(server.port)
  t.teardown(() => fast.close())
  await fast.text('SET', 'large', 'x'.repeat(100_000))
  for (let i = 0; i < 100; i++) await fast.text('RPUSH', 'list', ...Array.from({ length: 20 }, () => 'y'.repeat(5000)))
  const before = anonymousBytes(server.pid)

  const asks = Buffer.concat(Array.from({ length: 200 }, () => encodeCommand(['GET', 'large'])))
  const readers = await connectAll(server.port, slowCount)
  for (const [i, reader] of readers.entries()) {
    reader.socket.pause()
    // Twenty megabytes of small replies, or one long reply of ten.
    reader.send(i % 2 === 0 ? asks : encodeCommand(['LRANGE', 'list', 0, -1]))
  }
  const senders = await connectAll(server.port, slowCount)
  const command = encodeCommand(['INCR', 'slowly'])
  for (let at = 0; at < command.length; at += 3) {
    for (const sender of senders) sender.send(command.subarray(at, at + 3))
    t.match(await fast.text('INCR', 'quickly'), /^:\d+\r\n$/)
  }
  const replies = await Promise.all(senders.map(async sender => Number((await sender.reply()).subarray(1).toString())))
  t.equal(new Set(replies).size, slowCount, 'who sends a command in pieces is served when it is whole')
  for (const sender of senders) sender.close()
  const peak = anonymousBytes(server.pid)
  t.ok(peak - before < slowCount * 6 * MIB, `${(peak - before) / MIB} MiB for ${slowCount} clients that do not read`)
  while (numberOf(await fast.text('INFO', 'clients'), 'connected_clients') > 1) await sleep(20)
  t.pass('who takes nothing is closed, by the limit of its output or as a stalled reader')
  for (const reader of readers) reader.close()
})

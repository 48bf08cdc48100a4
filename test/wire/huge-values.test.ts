// A string of HUGE_MIB MiB (24; npm run test:long: 512, the longest there is) comes and goes while another client is
// answered, is changed in place, survives a kill, and is read through a page cache that it does not fit in. How long
// that client waited at most is a comment.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { backupTool } from '../../src/admin/backup.js'
import { checkTool } from '../../src/admin/check.js'
import { runTool } from '../admin/tool-run.js'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'

const MIB = 1 << 20
const HUGE_MIB = Number(process.env.HUGE_MIB ?? 24)
const BYTES = HUGE_MIB * MIB
const PIECE_BYTES = 64 * 1024
/** While so many bytes travel the other client gets at least one answer. */
const BYTES_PER_ANSWER = 24 * MIB

t.setTimeout(60_000 + HUGE_MIB * 2_000)

/** Pings until `over` is settled; how many answers came, and the longest wait for one in ms. */
async function pinged(client: RespClient, over: Promise<unknown>): Promise<{ answers: number; longestMs: number }> {
  let going = true
  void over.finally(() => (going = false))
  let answers = 0
  let longestMs = 0
  while (going) {
    const began = performance.now()
    await client.text('PING')
    longestMs = Math.max(longestMs, performance.now() - began)
    if (going) answers++
  }
  return { answers, longestMs: Math.round(longestMs) }
}

async function upload(client: RespClient, pieces: readonly Buffer[]): Promise<string> {
  client.send(`*3\r\n$3\r\nSET\r\n$4\r\nhuge\r\n$${BYTES}\r\n`)
  for (const piece of pieces) {
    if (!client.socket.write(piece)) await new Promise(resolve => client.socket.once('drain', resolve))
  }
  client.send('\r\n')
  return (await client.reply()).toString('latin1')
}

/** A value of so many MiB is lost or whole when the server is killed while its bytes go to the journal. */
const KILLED_MIB = 2
const KILLS = 3

const digestOf = (bytes: Buffer) => createHash('sha1').update(bytes).digest('hex')

t.test(`a value of ${HUGE_MIB} MiB holds nobody up`, async t => {
  const dir = tempDir(t)
  let server = await startServer({ dir })
  t.teardown(() => server.stop())
  const [one, other] = [await RespClient.connect(server.port), await RespClient.connect(server.port)]
  const piece = Buffer.from(Array.from({ length: PIECE_BYTES }, (_, i) => (i * 31) % 251))
  const pieces = Array.from({ length: BYTES / PIECE_BYTES }, () => piece)
  const expected = Buffer.concat([Buffer.from(`$${BYTES}\r\n`), ...pieces, Buffer.from('\r\n')])

  const sent = upload(one, pieces)
  const during = await pinged(other, sent)
  t.equal(await sent, '+OK\r\n')
  t.ok(during.answers >= BYTES / BYTES_PER_ANSWER, `${during.answers} answers while it came`)
  t.comment(`the longest took ${during.longestMs} ms`)

  const got = one.command('GET', 'huge')
  const meanwhile = await pinged(other, got)
  t.equal(digestOf(await got), digestOf(expected))
  t.ok(meanwhile.answers >= BYTES / BYTES_PER_ANSWER, `${meanwhile.answers} answers while it went`)
  t.comment(`the longest took ${meanwhile.longestMs} ms`)

  t.equal(await one.text('SETRANGE', 'huge', BYTES - 3, 'end'), `:${BYTES}\r\n`)
  t.equal(
    await one.text('SETRANGE', 'huge', 512 * MIB, 'x'),
    '-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n',
  )
  t.equal(await one.text('SETBIT', 'huge', 7, 1), ':0\r\n')
  one.close()
  other.close()
  await server.kill9()
  server = await startServer({ dir })
  const after = await RespClient.connect(server.port)
  t.equal(await after.text('STRLEN', 'huge'), `:${BYTES}\r\n`)
  t.equal(
    await after.text('GETRANGE', 'huge', -5, -1),
    `$5\r\n${piece.toString('latin1', PIECE_BYTES - 5, PIECE_BYTES - 3)}end\r\n`,
  )
  t.equal(await after.text('GETBIT', 'huge', 7), ':1\r\n')
  const again = await after.command('GET', 'huge')
  const head = `$${BYTES}\r\n`.length
  expected.write('end', head + BYTES - 3)
  expected[head] |= 1
  t.equal(digestOf(again), digestOf(expected), 'all of it is there')
  after.close()
  await server.stop()

  // A page cache that holds a few pieces: nearly all of it is read from the store while it is sent.
  server = await startServer({ dir, args: ['--page-cache-bytes', '1mb'] })
  const [cold, beside] = [await RespClient.connect(server.port), await RespClient.connect(server.port)]
  t.equal(await cold.text('SAVE'), '+OK\r\n')
  const sending = cold.command('GET', 'huge')
  const answered = await pinged(beside, sending)
  t.equal(digestOf(await sending), digestOf(expected))
  t.ok(answered.answers >= BYTES / BYTES_PER_ANSWER, `${answered.answers} answers while it was read`)
  t.comment(`the longest took ${answered.longestMs} ms`)
  const cached = Number(/cached_bytes:(\d+)/.exec(await beside.text('INFO', 'storage'))![1])
  t.ok(cached <= 2 * MIB, `${cached} bytes cached`)
  const [from, to] = [BYTES / 2 - 10, BYTES / 2 + 3 * MIB]
  const part = (await cold.command('GETRANGE', 'huge', from, to)).subarray(-(to - from + 3))
  t.ok(part.equals(Buffer.concat([expected.subarray(head + from, head + to + 1), Buffer.from('\r\n')])))
  t.equal(await cold.text('SETRANGE', 'huge', from, 'in the middle'), `:${BYTES}\r\n`)
  expected.write('in the middle', head + from)
  t.equal(await cold.text('SAVE'), '+OK\r\n')
  const dump = await cold.command('DUMP', 'huge')
  t.ok(dump.includes(expected.subarray(head + from - 10, head + from + 20)))
  t.equal(await cold.text('COPY', 'huge', 'kept'), ':1\r\n')
  t.equal(digestOf(await cold.command('GETDEL', 'huge')), digestOf(expected), 'gone, and sent as it was')
  t.equal(await cold.text('EXISTS', 'huge', 'kept'), ':1\r\n')
  cold.close()
  beside.close()
  await server.stop()

  const copy = join(tempDir(t), 'copy')
  t.equal((await runTool(backupTool, dir, copy)).status, 0)
  const whole = await runTool(checkTool, copy)
  t.equal(whole.status, 0, whole.out + whole.err)
})

t.test('killed while the bytes of a value go to the journal, a server has it whole or not at all', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const dir = tempDir(t)
  for (let round = 0; round < KILLS; round++) {
    let server = await startServer({ dir })
    t.teardown(() => server.stop())
    const client = await RespClient.connect(server.port)
    const value = random.bytes(KILLED_MIB * MIB)
    client.send(encodeCommand(['SET', `killed:${round}`, value]))
    await new Promise(resolve => setTimeout(resolve, random.below(300)))
    await server.kill9()
    client.close()
    server = await startServer({ dir })
    const after = await RespClient.connect(server.port)
    const found = await after.command('GET', `killed:${round}`)
    const wholeReply = Buffer.concat([Buffer.from(`$${value.length}\r\n`), value, Buffer.from('\r\n')])
    t.ok(found.equals(wholeReply) || found.toString() === '$-1\r\n', `${found.length} bytes in round ${round}`)
    // The numbers of what was not referred to are used again, in the same journal.
    t.equal(await after.text('SET', 'again', value.subarray(1)), '+OK\r\n')
    t.equal(await after.text('APPEND', 'again', value), `:${2 * value.length - 1}\r\n`)
    after.close()
    await server.kill9()
    server = await startServer({ dir })
    const last = await RespClient.connect(server.port)
    const again = await last.command('GET', 'again')
    const both = Buffer.concat([value.subarray(1), value])
    t.ok(again.subarray(-both.length - 2, -2).equals(both))
    last.close()
    await server.stop()
  }
})

// A stream goes to a file and comes back, to Millrace and to redis-server, with all that commands can set.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { dumpStreamTool } from '../../src/admin/stream-dump.js'
import { loadStreamTool, verified } from '../../src/admin/stream-load.js'
import { startInProcess } from '../support/in-process.js'
import { startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { tempDir } from '../support/temp-dir.js'
import { damage, filledFolder, flip, idIn } from './damage.js'
import { runTool } from './tool-run.js'
import { Table } from '../../src/store/row.js'

/** All that a client sees of a stream, but for the times of consumers. */
async function view(client: RespClient, key: string): Promise<string[]> {
  const parts: string[] = [await client.text('XRANGE', key, '-', '+')]
  // redis-server 7.0 says nothing of producers, and of lag only what it can estimate.
  const stream = (await client.text('XINFO', 'STREAM', key)).replace(/radix-tree-(keys|nodes)\r\n:\d+/g, '')
  parts.push(stream.replace(/^\*\d+/, '').replace(/\$\d+\r\n(idmp|pids|iids)-\w+\r\n:\d+\r\n/g, ''))
  parts.push((await client.text('XINFO', 'GROUPS', key)).replace(/lag\r\n(:\d+|\$-1)/g, ''))
  for (const group of ['group', 'other', 'third \xff']) {
    if (!parts[2].includes(group)) continue
    // Without the idle times, which pass.
    const rows = await client.text('XPENDING', key, group, '-', '+', 100_000)
    parts.push(rows.replace(/(\*4\r\n\$\d+\r\n[^\r]+\r\n\$\d+\r\n[^\r]*\r\n):\d+/g, '$1'))
    // redis-server 7.0 does not tell when a consumer was active.
    const consumers = (await client.text('XINFO', 'CONSUMERS', key, group)).replace(/idle\r\n:\d+/g, '')
    parts.push(consumers.replace(/\$8\r\ninactive\r\n:-?\d+\r\n/g, '').replaceAll('*8\r\n', '*6\r\n'))
  }
  parts.push(await client.text('PEXPIRETIME', key))
  return parts
}

/** Adds what is rare: pending entries that were deleted, some of them last, and a group that knows no entries-read. */
async function makeOdd(client: RespClient): Promise<void> {
  const commands: (string | number)[][] = [
    ['XADD', 'stream', '5000-0', 'f', 'v'],
    ['XADD', 'stream', '5001-5', 'f', 'v'],
    ['XGROUP', 'CREATE', 'stream', 'third \xff', '4999-0', 'ENTRIESREAD', '-1'],
    ['XREADGROUP', 'GROUP', 'third \xff', 'c\x00', 'COUNT', 10, 'STREAMS', 'stream', '>'],
    ['XREADGROUP', 'GROUP', 'third \xff', 'idler', 'COUNT', 10, 'STREAMS', 'stream', '>'],
    ['XCLAIM', 'stream', 'third \xff', 'c\x00', 0, '5000-0', 'TIME', 1_600_000_000_000, 'RETRYCOUNT', 7],
    ['XDEL', 'stream', '5001-5', '9-0', '10-0'],
    ['XGROUP', 'SETID', 'stream', 'other', '100-0'],
    ['PEXPIREAT', 'stream', 4_000_000_000_000],
    ['XGROUP', 'CREATE', 'empty', 'g', '0', 'MKSTREAM'],
    ['XSETID', 'empty', '77-7', 'ENTRIESADDED', 9, 'MAXDELETEDID', '77-6'],
  ]
  for (const command of commands) {
    const reply = await client.text(...command)
    t.notMatch(reply, /^-/, `${command.join(' ')}: ${reply}`)
  }
}

t.setTimeout(300_000)

t.test('a stream is the same after its way through a file', async t => {
  const folder = await filledFolder(t)
  const { server, port, connect } = await startInProcess(t, folder)
  const client = await connect()
  await makeOdd(client)
  const place = tempDir(t)
  const [file, empty] = [join(place, 'file'), join(place, 'empty')]
  await t.rejects(runTool(dumpStreamTool, folder, 'stream', file), {
    name: 'UsageError',
    message: /The journal has \d+ changes/,
  })
  t.same(readdirSync(place), [], 'nothing is left of what was refused')
  await client.text('SAVE')
  await client.text('SET', 'another', 'key')
  const { out } = await runTool(dumpStreamTool, folder, 'stream', file)
  t.match(out, /: 2997 entries, 3 groups, 1800 pending, \d+ bytes\n$/)
  await runTool(dumpStreamTool, folder, 'empty', empty)

  const before = await view(client, 'stream')
  const emptyBefore = await view(client, 'empty')
  await t.rejects(runTool(loadStreamTool, file, '--port', String(port)), { name: 'UsageError', message: /--replace/ })
  t.match((await runTool(loadStreamTool, file, '--port', String(port), '--replace')).out, /^"stream": 2997 entries/)
  t.same(await view(client, 'stream'), before)
  await runTool(loadStreamTool, empty, '--port', String(port), '--key', 'other name', '--db', '5')
  await client.text('SELECT', 5)
  t.same(await view(client, 'other name'), emptyBefore)
  t.equal(await client.text('DBSIZE'), ':1\r\n', 'no draft is left')

  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const peer = await RespClient.connect(redis.port)
  await runTool(loadStreamTool, file, '--port', String(redis.port))
  t.same(await view(peer, 'stream'), before, 'redis-server has the same')
  peer.close()
  await server.close({ save: false })
})

t.test('released entries come back as such, in the order of their release', async t => {
  const folder = await filledFolder(t)
  const { server, port, connect } = await startInProcess(t, folder)
  const client = await connect()
  for (const id of ['1-0', '2-0', '3-0']) await client.text('XADD', 'released', id, 'f', 'v')
  await client.text('XGROUP', 'CREATE', 'released', 'g', '0')
  await client.text('XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', 'released', '>')
  await client.text('XNACK', 'released', 'g', 'FATAL', 'IDS', '1', '3-0')
  await client.text('XNACK', 'released', 'g', 'SILENT', 'IDS', '1', '1-0')
  const rows = (await client.text('XPENDING', 'released', 'g', '-', '+', 9)).replace(/c\r\n:\d+/, '')
  await client.text('SAVE')
  const file = join(tempDir(t), 'file')
  await runTool(dumpStreamTool, folder, 'released', file)
  await runTool(loadStreamTool, file, '--port', String(port), '--key', 'again')
  t.equal((await client.text('XPENDING', 'again', 'g', '-', '+', 9)).replace(/c\r\n:\d+/, ''), rows)
  const claimed = await client.text('XREADGROUP', 'GROUP', 'g', 'd', 'CLAIM', 9_999_999, 'STREAMS', 'again', '>')
  t.same(claimed.match(/\d-0/g), ['3-0', '1-0'])
  await server.close({ save: false })
})

t.test('what cannot be dumped or loaded is refused with one sentence, and changes nothing', async t => {
  const folder = await filledFolder(t)
  const place = tempDir(t)
  const file = join(place, 'file')
  const refused = (run: Promise<unknown>, message: RegExp) => t.rejects(run, { message })
  await refused(runTool(dumpStreamTool, folder, 'nothing', file), /^Database 0 has no key "nothing"\.$/)
  await refused(runTool(dumpStreamTool, folder, 'hash', file), /is not a stream/)
  await refused(runTool(dumpStreamTool, folder, 'stream', file, '--db', 'x'), /--db takes the number/)
  t.equal((await runTool(dumpStreamTool, folder, 'stream', file)).status, 0)
  await refused(runTool(dumpStreamTool, folder, 'stream', file), /exists: a dump is written to a new one/)
  const bytes = readFileSync(file)
  for (const [name, change, message] of [
    ['cut', () => bytes.subarray(0, bytes.length - 5), /is damaged at byte \d+/],
    ['flipped', () => flip(bytes), /is damaged at byte \d+/],
    ['foreign', () => Buffer.from('MILLSTRX0000'), /is not one that millrace dump-stream wrote/],
    ['newer', () => Buffer.concat([bytes.subarray(0, 11), Buffer.of(2), bytes.subarray(12)]), /has version 2;/],
  ] as const) {
    const path = join(place, name)
    writeFileSync(path, change() ?? '')
    t.throws(() => verified(path), { message })
    await refused(runTool(loadStreamTool, path, '--port', '1'), message)
  }
  await refused(runTool(loadStreamTool, file, '--port', '1'), /^The stream was not loaded: /)
  await damage(join(folder, 'store'), Table.Pages, (key, at) => at === 1 || idIn(key) === 2, flip)
  const other = join(place, 'other')
  await refused(runTool(dumpStreamTool, folder, 'stream', other), /The stream is damaged: millrace check --repair/)
  t.notOk(existsSync(other) || existsSync(`${other}.new`))
})

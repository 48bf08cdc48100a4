// A disk without room under a real process: for the journal and the store together, and for the store alone; a store
// that somebody keeps from being written; a folder that can only be read. Needs a small file system (small-disk.ts);
// where none can be mounted a comment says so.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { findingText } from '../../src/admin/finding-text.js'
import { checkFolder } from '../../src/admin/folder-check.js'
import { systemClock } from '../../src/base/clock.js'
import { RespClient } from '../support/resp-client.js'
import { smallDisk } from '../support/small-disk.js'
import { startServer } from '../support/start-server.js'
import type { RunningServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'
import type { Teardown } from '../support/temp-dir.js'

t.setTimeout(120_000)
const VALUE = 'x'.repeat(10_000)

async function connect(t: Teardown, server: RunningServer): Promise<RespClient> {
  const client = await RespClient.connect(server.port)
  t.teardown(() => client.close())
  return client
}

/** Asks until the reply fits. */
async function until(ask: () => Promise<string>, fits: RegExp): Promise<string> {
  for (;;) {
    const reply = await ask()
    if (fits.test(reply)) return reply
    await sleep(10)
  }
}

const field = async (client: RespClient, section: string, name: string) =>
  new RegExp(`^${name}:(.*)\\r$`, 'm').exec(await client.text('INFO', section))?.[1]

/** Resolves when the server knows of its fault. A question that comes with the failed write waits with it: ask anew. */
async function faultKnown(t: Teardown, server: RunningServer): Promise<'fault'> {
  for (;;) {
    const answer = field(await connect(t, server), 'storage', 'write_fault')
    if (/ENOSPC/.test((await Promise.race([answer, sleep(200, '')])) ?? '')) return 'fault'
  }
}

/**
 * Sets keys of `VALUE` until one finds no room and the server knows it: that write is neither acknowledged nor refused,
 * it is kept, and answered when it is safe. Any later one is refused.
 */
async function fillUp(t: Test, server: RunningServer, firstKey: number) {
  const writer = await connect(t, server)
  const fault = faultKnown(t, server)
  for (let acknowledged = 0; ; acknowledged++) {
    const reply = writer.text('SET', `key${firstKey + acknowledged}`, VALUE)
    const done = await Promise.race([reply, fault])
    if (done === 'fault') return { held: () => reply, acknowledged }
    t.equal(done, '+OK\r\n')
  }
}

/** What a server left when it was killed: whole, and with these keys. */
async function verifyCopy(t: Test, folder: string, keys: number): Promise<void> {
  const output = { out: () => undefined, err: () => undefined }
  const { store, journal } = await checkFolder(folder, output, systemClock)
  t.same([store.findings.map(findingText), journal.findings], [[], []], 'check finds nothing')
  const server = await startServer({ dir: folder })
  t.teardown(() => server.kill9())
  const client = await connect(t, server)
  t.equal(await client.text('DBSIZE'), `:${keys}\r\n`)
  t.equal(await client.text('GET', `key${keys - 1}`), `$${VALUE.length}\r\n${VALUE}\r\n`)
}

t.test('a full disk refuses writes, serves reads, and loses nothing', { timeout: 60_000 }, async t => {
  const disk = await smallDisk(t, 48)
  if (disk === undefined) return
  const server = await startServer({ dir: disk.inside, through: disk.through })
  t.teardown(() => server.kill9())
  const [writer, other] = [await connect(t, server), await connect(t, server)]
  let keys = 0
  for (; keys < 300; keys++) await writer.text('SET', `key${keys}`, VALUE)
  t.equal(await writer.text('SAVE'), '+OK\r\n')

  disk.fill(2_000_000)
  const { held, acknowledged } = await fillUp(t, server, keys)
  keys += acknowledged
  const words = /^-MISCONF Errors writing to the journal: no space left on device \(ENOSPC\)\r\n$/
  t.match(await other.text('SET', 'refused', 1), words)
  t.equal((await other.text('GET', 'key299')).length, 10_010, 'reads go on')
  t.equal(await other.text('XLEN', 'nothing'), ':0\r\n')
  t.match(await other.text('SAVE'), /^-ERR The checkpoint failed: No space left on device/)
  t.equal(await field(other, 'persistence', 'aof_last_write_status'), 'err')
  t.equal(await field(other, 'persistence', 'rdb_last_bgsave_status'), 'err')
  t.match(await field(other, 'storage', 'write_fault'), /ENOSPC/)

  disk.release()
  t.equal(await held(), '+OK\r\n')
  keys++
  t.equal(await until(() => other.text('SET', `key${keys}`, VALUE), /^\+/), '+OK\r\n', 'writes resume')
  keys++
  t.equal(await until(() => other.text('SAVE'), /^\+/), '+OK\r\n', 'and so do checkpoints')
  t.equal(await field(other, 'storage', 'write_fault'), '')
  t.equal(await field(other, 'persistence', 'rdb_last_bgsave_status'), 'ok')
  t.equal(await other.text('SET', `key${keys++}`, VALUE), '+OK\r\n')
  process.kill(server.pid, 'SIGSTOP')
  const copy = join(tempDir(t), 'copy')
  cpSync(disk.outside, copy, { recursive: true })
  await server.kill9()
  await verifyCopy(t, copy, keys)
})

t.test('a server starts on a full disk, and serves reads until there is room', { timeout: 60_000 }, async t => {
  const disk = await smallDisk(t, 48)
  if (disk === undefined) return
  const first = await startServer({ dir: disk.inside, through: disk.through })
  const client = await connect(t, first)
  for (let i = 0; i < 100; i++) await client.text('SET', `key${i}`, VALUE)
  await first.kill9()
  disk.fill(0)
  const second = await startServer({ dir: disk.inside, through: disk.through })
  t.teardown(() => second.kill9())
  const reader = await connect(t, second)
  t.equal((await reader.text('GET', 'key99')).length, 10_010)
  const { held } = await fillUp(t, second, 100)
  t.match(await reader.text('SET', 'key', 1), /^-MISCONF Errors writing to the journal: .*no space/)
  t.equal(await reader.text('EXISTS', 'key0'), ':1\r\n')
  disk.release()
  t.equal(await held(), '+OK\r\n')
})

t.test(
  'checkpoints that fail keep the journal, and refuse writes before it runs away',
  { timeout: 60_000 },
  async t => {
    const dir = tempDir(t)
    const store = join(dir, 'store')
    await (await startServer({ dir })).stop()
    const disk = await smallDisk(t, 16, store)
    if (disk === undefined) return
    cpSync(store, disk.outside, { recursive: true })
    const args = ['--checkpoint-dirty-bytes', '1mb']
    const server = await startServer({ dir, args, through: disk.through })
    t.teardown(() => server.kill9())
    const client = await connect(t, server)
    t.equal(await client.text('SET', 'key0', VALUE), '+OK\r\n')
    t.equal(await client.text('SAVE'), '+OK\r\n')
    disk.fill(100_000)
    let keys = 1
    let reply = '+OK\r\n'
    while (keys < 10_000) {
      reply = await client.text('SET', `key${keys}`, VALUE)
      if (reply !== '+OK\r\n') break
      keys++
    }
    t.match(
      reply,
      /^-MISCONF The last checkpoint failed \(No space left .*\), and \d+ MiB of changes wait for one: no more/,
    )
    t.ok(
      keys > 100 && keys < 2000,
      `${keys} keys of 10 kB were taken: some times the megabyte that starts a checkpoint`,
    )
    t.equal((await client.text('GET', `key${keys - 1}`)).length, 10_010, 'reads go on')
    t.equal(await client.text('DBSIZE'), `:${keys}\r\n`)
    disk.release()
    t.equal(await until(() => client.text('SAVE'), /^\+/), '+OK\r\n')
    t.equal(await client.text('SET', `key${keys++}`, VALUE), '+OK\r\n', 'writes resume with the first that succeeds')
    process.kill(server.pid, 'SIGSTOP')
    const copy = join(tempDir(t), 'copy')
    cpSync(dir, copy, { recursive: true })
    cpSync(disk.outside, join(copy, 'store'), { recursive: true })
    await server.kill9()
    await verifyCopy(t, copy, keys)
  },
)

/** Begins a write transaction of LMDB in another process and holds it until it is told to end. */
const HOLDER = `
  import { open } from 'lmdb'
  const root = open({ path: process.argv[1], mapSize: 2 ** 40, maxDbs: 12, maxReaders: 2048, overlappingSync: false })
  root.transactionSync(() => {
    process.stdout.write('held')
    process.stdin.once('data', () => undefined)
    const wait = new Int32Array(new SharedArrayBuffer(4))
    const { statSync } = process.getBuiltinModule('node:fs')
    while (statSync(process.argv[2], { throwIfNoEntry: false }) === undefined) Atomics.wait(wait, 0, 0, 20)
  })
  await root.close()
  process.exit(0)`

t.test('writes wait while a checkpoint cannot get on, reads do not', { timeout: 60_000 }, async t => {
  const dir = tempDir(t)
  const server = await startServer({ dir, args: ['--checkpoint-dirty-bytes', '1mb'] })
  t.teardown(() => server.kill9())
  const [writer, reader] = [await connect(t, server), await connect(t, server)]
  t.equal(await writer.text('SET', 'key0', VALUE), '+OK\r\n')
  t.equal(await writer.text('SAVE'), '+OK\r\n')
  const end = join(tempDir(t), 'end')
  const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, join(dir, 'store'), end])
  t.teardown(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  let keys = 1
  let waiting: Promise<string> | undefined
  while (waiting === undefined && keys < 10_000) {
    const reply = writer.text('SET', `key${keys}`, VALUE)
    const done = await Promise.race([reply, sleep(1000, undefined)])
    if (done === undefined) waiting = reply
    else if (done === '+OK\r\n') keys++
    else t.fail(done)
  }
  t.ok(keys > 100 && keys < 2000, `${keys} keys of 10 kB were taken before writes had to wait`)
  t.equal(await reader.text('DBSIZE'), `:${keys}\r\n`)
  t.equal(await field(reader, 'clients', 'blocked_clients'), '1')
  mkdirSync(end)
  t.equal(await waiting, '+OK\r\n', 'it goes on with the checkpoint')
  t.equal(await writer.text('SET', 'after', 1), '+OK\r\n')
  t.equal(await field(reader, 'clients', 'blocked_clients'), '0')
})

t.test('a folder that can only be read is refused with one sentence', { timeout: 60_000 }, async t => {
  const disk = await smallDisk(t, 48)
  if (disk === undefined) return
  const first = await startServer({ dir: disk.inside, through: disk.through })
  const client = await connect(t, first)
  await client.text('SET', 'key', 'value')
  await first.kill9()
  disk.remount('ro')
  const start = startServer({ dir: disk.inside, through: disk.through })
  const error = await start.then(
    () => undefined,
    (reason: Error) => reason.message,
  )
  t.match(error, /exited with 1 /)
  t.match(error, /^millrace: The data folder \S+ cannot be read and written: read-only file system \(EROFS\)\.$/m)
  disk.remount('rw')
  const again = await startServer({ dir: disk.inside, through: disk.through })
  t.teardown(() => again.kill9())
  const after = await connect(t, again)
  t.equal(await after.text('GET', 'key'), '$5\r\nvalue\r\n')
})

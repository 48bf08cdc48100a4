import { spawnSync } from 'node:child_process'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { Test } from 'tap'
import { findingText } from '../../src/admin/finding-text.js'
import { checkFolder } from '../../src/admin/folder-check.js'
import { systemClock } from '../../src/base/clock.js'
import { addon } from '../../src/native/addon.js'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const WORDS = /^millrace: The file store\/data\.mdb of the data folder cannot be read: .* from a copy\.$/m
const REFUSED =
  /^-CORRUPT The row \S+ of table heads cannot be read: the device gives no bytes for it\. \(key 'key\d+'\)/
const KEYS = 1500
const valueOf = (i: number) => `${i}:`.padEnd(3000, 'x')

/** A server with values on the disk and next to none in memory, and no checkpoint but by SAVE. */
async function setUp(t: Test) {
  const dir = tempDir(t)
  const args = ['--page-cache-bytes', '1mb', '--checkpoint-interval', '3600', '--checkpoint-replay-records', '0']
  const server = await startServer({ dir, args })
  t.teardown(() => server.kill9())
  const client = await RespClient.connect(server.port)
  t.teardown(() => client.close())
  for (let i = 0; i < KEYS; i += 100) {
    client.send(
      Buffer.concat(Array.from({ length: 100 }, (_, n) => encodeCommand(['SET', `key${i + n}`, valueOf(i + n)]))),
    )
    for (let n = 0; n < 100; n++) await client.reply()
  }
  t.equal(await client.text('SAVE'), '+OK\r\n')
  return { dir, server, client, file: join(dir, 'store', 'data.mdb') }
}

/** Asks for all keys; how many were refused. */
async function readAll(t: Test, client: RespClient): Promise<number> {
  let refused = 0
  for (let i = 0; i < KEYS; i += 100) {
    client.send(Buffer.concat(Array.from({ length: 100 }, (_, n) => encodeCommand(['GET', `key${i + n}`]))))
    for (let n = 0; n < 100; n++) {
      const reply = (await client.reply()).toString('latin1')
      if (reply === `$3000\r\n${valueOf(i + n)}\r\n`) continue
      if (!REFUSED.test(reply)) t.fail(`key${i + n}: ${reply.slice(0, 300)}`)
      refused++
    }
  }
  return refused
}

t.test(
  'what the device does not give is refused by name, all else goes on, and comes back with the device',
  async t => {
    t.type(addon?.guardMapped, 'function', 'the addon is of this version')
    const { dir, server, client, file } = await setUp(t)
    const whole = readFileSync(file)
    // As a device that does not give the second half: the system answers with the same signal.
    truncateSync(file, Math.floor((whole.length * 0.7) / 4096) * 4096)
    for (let round = 0; round < 2; round++) {
      const refused = await readAll(t, client)
      t.ok(refused > KEYS / 10 && refused < KEYS, `${refused} of ${KEYS} are refused`)
    }
    t.equal(await client.text('SET', 'new', 'value'), '+OK\r\n', 'writes go on into the journal')
    t.equal(await client.text('XADD', 'stream', '1-1', 'f', 'v'), '$3\r\n1-1\r\n')
    writeFileSync(file, whole, { flag: 'r+' })
    t.equal(await readAll(t, client), 0, 'the device gives them again')
    t.equal(await client.text('SAVE'), '+OK\r\n')
    t.match(await client.text('INFO', 'storage'), /last_checkpoint_ok:1\r/)
    t.equal(await server.stop(), 0)
    const { store, journal } = await checkFolder(dir, { out: () => undefined, err: () => undefined }, systemClock)
    t.same([store.findings.map(findingText), journal.findings, store.keys], [[], [], KEYS + 2])
  },
)

t.test('whoever writes ends the process with a sentence, before it writes what is not there', async t => {
  const { dir, server, client, file } = await setUp(t)
  truncateSync(file, 64 * 1024)
  t.equal(await client.text('SET', 'new', 'value'), '+OK\r\n')
  await client.text('SAVE').catch(() => undefined)
  await server.kill9()
  t.match(server.output(), WORDS)
  const { status, stderr } = spawnSync(process.execPath, [MAIN, '--port', '0', '--dir', dir], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  t.equal(status, 1)
  t.match(stderr, WORDS, 'and so does a start')
})

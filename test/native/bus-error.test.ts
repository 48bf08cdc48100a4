import { spawnSync } from 'node:child_process'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const WORDS = /^millrace: The file store\/data\.mdb of the data folder cannot be read: .* from a copy\.$/m

t.test('a store whose file was cut short ends the process with a sentence', async t => {
  const dir = tempDir(t)
  const server = await startServer({ dir, args: ['--page-cache-bytes', '1mb'] })
  t.teardown(() => server.kill9())
  const client = await RespClient.connect(server.port)
  t.teardown(() => client.close())
  for (let i = 0; i < 5000; i += 100) {
    const sets = Array.from({ length: 100 }, (_, n) => encodeCommand(['SET', `key${i + n}`, 'x'.repeat(3000)]))
    client.send(Buffer.concat(sets))
    for (let n = 0; n < 100; n++) await client.reply()
  }
  t.equal(await client.text('SAVE'), '+OK\r\n')
  truncateSync(join(dir, 'store', 'data.mdb'), 64 * 1024)
  // Under a running server, as when a device fails.
  for (let i = 0; i < 5000 && !client.ended; i++) await client.text('GET', `key${i}`).catch(() => undefined)
  t.match(server.output(), WORDS)
  await server.kill9()
  const { status, stderr } = spawnSync(process.execPath, [MAIN, '--port', '0', '--dir', dir], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  t.equal(status, 1)
  t.match(stderr, WORDS, 'and so does a start')
})

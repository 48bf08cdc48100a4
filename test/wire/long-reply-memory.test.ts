// What replies of many times the page cache take in the memory of a server, whose readers are slow.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { RespClient } from '../support/resp-client.js'
import { SlowReader } from '../support/slow-reader.js'
import { startServer } from '../support/start-server.js'

const MIB = 1024 * 1024
const VALUE = 'x'.repeat(30_000)
const ENTRIES = 2300

t.test('replies of eight times the page cache take a window of memory, not themselves', async t => {
  const server = await startServer({ args: ['--page-cache-bytes', '8mb', '--checkpoint-dirty-bytes', '16mb'] })
  t.teardown(() => server.stop())
  const anonymousMb = () =>
    Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'latin1'))![1]) / 1024
  const client = await RespClient.connect(server.port)
  t.teardown(() => client.close())
  for (let i = 0; i < ENTRIES; i += 100) {
    client.send(`XADD s * f ${VALUE}\r\n`.repeat(100))
    for (let j = 0; j < 100; j++) await client.reply()
  }
  await client.command('SAVE')
  const before = anonymousMb()
  let most = 0
  const readers = await Promise.all([1, 2, 3].map(() => SlowReader.over(t, server.port)))
  for (const reader of readers) reader.send('XRANGE', 's', '-', '+')
  for (let taken = 0; taken < 64 * MIB; taken += 4 * MIB) {
    for (const reader of readers) await reader.read(4 * MIB)
    most = Math.max(most, anonymousMb() - before)
  }
  t.ok(most < 100, `${Math.round(most)} MB more than the ${Math.round(before)} MB before, for 192 MB of replies`)
})

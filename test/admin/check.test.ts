// The tool as the user meets it, beside a running server too.

import { appendFileSync, readFileSync, truncateSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkTool, STATUS_DAMAGED } from '../../src/admin/check.js'
import { quoted } from '../../src/admin/finding-text.js'
import { segmentEnd } from '../../src/store/journal-segment.js'
import { Table } from '../../src/store/row.js'
import { startInProcess } from '../support/in-process.js'
import { startServer } from '../support/start-server.js'
import { RespClient } from '../support/resp-client.js'
import { segmentsIn } from '../store/journal-fixture.js'
import { tempDir } from '../support/temp-dir.js'
import { damage, fill, filledFolder, flip } from './damage.js'

async function run(...argv: string[]): Promise<{ status: number; out: string; err: string }> {
  const said = { out: '', err: '' }
  const status = await checkTool(argv, {
    out: text => void (said.out += text),
    err: text => void (said.err += text),
  })
  return { status, ...said }
}

t.test('a whole folder is said to be whole, in words and as JSON', async t => {
  const folder = await filledFolder(t)
  const words = await run(folder)
  t.equal(words.status, 0)
  t.match(words.out, / is whole \(checkpoint \d+: 11 keys, \d+ pages; 0 journal records behind it\)\n$/)
  const json = await run(folder, '--json')
  t.equal(json.status, 0)
  t.match(JSON.parse(json.out), { folder, whole: true, inUse: false, findings: [], waste: [], keys: 11 })
})

t.test('damage is named with its key, and gives status 2', async t => {
  const folder = await filledFolder(t)
  await damage(join(folder, 'store'), Table.Pages, (_, place) => place === 0, flip)
  const { status, out } = await run(folder)
  t.equal(status, STATUS_DAMAGED)
  t.match(out, /^damaged: key "\w+" of database 0: .* are lost\n/)
  t.match(out, / is damaged \(/)
  const json = JSON.parse((await run(folder, '--json')).out) as { whole: boolean; findings: unknown[] }
  t.equal(json.whole, false)
  t.match(json.findings, [{ database: 0, key: String, what: String }])
})

t.test('beside a server that writes and takes checkpoints it finds nothing wrong', async t => {
  const server = await startServer({ args: ['--checkpoint-dirty-bytes', '1mb', '--checkpoint-replay-records', '200'] })
  t.teardown(() => server.stop())
  const client = await RespClient.connect(server.port)
  await fill(client)
  let on = true
  const load = (async () => {
    for (let i = 10_000; on; i++) {
      await client.text('XADD', 'stream', 'MAXLEN', '~', 2000, `${i}-0`, 'n', i)
      await client.text('XREADGROUP', 'GROUP', 'group', 'alice', 'COUNT', 3, 'STREAMS', 'stream', '>')
      await client.text('ZADD', 'zset', i, `member${i % 3000}`)
      if (i % 50 === 0) await client.text('BGSAVE', 'SCHEDULE')
    }
  })()
  for (let i = 0; i < 8; i++) {
    const { status, out } = await run(server.dir)
    t.equal(status, 0, out)
    t.match(out, /A server is using it/)
    t.notMatch(out, /^(note|unused)/m)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  on = false
  await load
  client.close()
})

t.test('a journal that was cut is a note, a damaged one is damage, and neither is mended', async t => {
  const folder = tempDir(t)
  const server = await startServer({ dir: folder })
  const client = await RespClient.connect(server.port)
  for (let i = 1; i <= 50; i++) await client.text('XADD', 's', `${i}-0`, 'n', i)
  await server.kill9()
  client.close()
  const segment = join(folder, 'journal', segmentsIn(join(folder, 'journal'))[0])
  t.match((await run(folder)).out, / 50 journal records behind it/)
  // Behind the records there is room for the next ones.
  const bytes = segmentEnd(readFileSync(segment))
  truncateSync(segment, bytes - 3)
  const torn = await run(folder)
  t.equal(torn.status, 0)
  t.match(torn.out, /^note: The last write to the journal was not completed: /m)
  t.equal(statSync(segment).size, bytes - 3, 'nothing was cut')
  truncateSync(segment, 200)
  const record = Buffer.alloc(8)
  appendFileSync(segment, record)
  t.equal((await run(folder)).status, 0, 'a tail without a good record behind it is a torn one')
})

t.test('what is no data folder is refused with one sentence', async t => {
  await t.rejects(run(tempDir(t)), {
    name: 'UsageError',
    message: /is not a Millrace data folder: it has no file FORMAT\.$/,
  })
  await t.rejects(run(), { name: 'UsageError', message: /^check: missing required argument 'folder'\. See: / })
  await t.rejects(run('a', 'b'), { name: 'UsageError' })
  await t.rejects(run('a', '--no-such'), { name: 'UsageError', message: /unknown option '--no-such'/ })
  t.match((await run('--help')).out, /^Usage: millrace check /)
})

t.test('a folder that no checkpoint was written to yet is whole', async t => {
  const folder = tempDir(t)
  const { server, connect } = await startInProcess(t, folder)
  await (await connect()).text('SET', 'a', 1)
  const { status, out } = await run(folder)
  t.equal(status, 0)
  t.match(out, / is whole \(checkpoint 0: 0 keys, 0 pages; 1 journal records behind it\)/)
  await server.close({ save: false })
})

t.test('names are quoted so that a terminal shows all of them', async t => {
  t.equal(quoted('a"b\\c\x00\xff'), '"a\\"b\\\\c\\x00\\xff"')
})

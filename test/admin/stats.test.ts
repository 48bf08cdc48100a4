import { statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { statsOf, statsTool } from '../../src/admin/stats.js'
import { startInProcess } from '../support/in-process.js'
import { tempDir } from '../support/temp-dir.js'
import { ENTRIES, filledFolder } from './damage.js'
import { runTool } from './tool-run.js'

t.setTimeout(300_000)

t.test('keys by database and type, streams, tables and bytes are told', async t => {
  const folder = await filledFolder(t)
  const stats = await statsOf(folder, 10)
  t.same(stats.keys, { 0: { stream: 1, hash: 2, set: 1, zset: 2, list: 1, string: 3 }, 3: { string: 1 } })
  t.match(stats.streams, [{ database: 0, key: 'stream', entries: ENTRIES - 2, groups: 2, pending: 1798 }])
  t.equal(stats.fileBytes, statSync(join(folder, 'store', 'data.mdb')).size)
  t.equal(stats.tables.directory.rows, 11)
  t.ok(stats.tables.pages.bytes > 0 && stats.tables.pages.bytes + stats.reclaimableBytes < stats.fileBytes)
  t.same(JSON.parse((await runTool(statsTool, folder, '--json')).out), JSON.parse(JSON.stringify(stats)))
  const { out } = await runTool(statsTool, folder, '--top', '0')
  t.notMatch(out, /^stream/m)
  t.match(out, /^database 3: 1 string$/m)
  await t.rejects(runTool(statsTool, folder, '--top', 'many'), { name: 'UsageError' })
})

t.test('it follows SWAPDB and FLUSHDB, and needs no checkpoint', async t => {
  const folder = tempDir(t)
  const { server, connect } = await startInProcess(t, folder)
  t.match(await statsOf(folder, 1), { inUse: true, keys: {}, streams: [], reclaimableBytes: Number })
  const client = await connect()
  for (const command of ['SET a 1', 'SELECT 2', 'XADD s 1-0 f v', 'SELECT 1', 'SET gone 1', 'FLUSHDB', 'SWAPDB 0 2']) {
    await client.text(...command.split(' '))
  }
  await client.text('SAVE')
  const { keys, streams, journalSegments } = await statsOf(folder, 1)
  t.same(keys, { 0: { stream: 1 }, 2: { string: 1 } })
  t.match(streams, [{ database: 0, key: 's', entries: 1, groups: 0, pending: 0 }])
  t.equal(journalSegments, 0)
  await server.close({ save: false })
})

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { backupTool, restoreTool } from '../../src/admin/backup.js'
import { checkTool } from '../../src/admin/check.js'
import { Table } from '../../src/store/row.js'
import { startInProcess } from '../support/in-process.js'
import { RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'
import { damage, filledFolder, flip } from './damage.js'
import { runTool } from './tool-run.js'

t.setTimeout(300_000)

t.test('a folder comes back from its backup with everything', async t => {
  const folder = await filledFolder(t)
  writeFileSync(join(folder, 'users.acl'), 'user default on nopass ~* &* +@all\n')
  const digest = async (dir: string) => {
    const { server, connect } = await startInProcess(t, dir)
    const text = await (await connect()).text('DEBUG', 'DIGEST')
    await server.close({ save: false })
    return text
  }
  const place = tempDir(t)
  const [backup, restored] = [join(place, 'deep', 'backup'), join(place, 'restored')]
  t.equal((await runTool(backupTool, folder, backup, '--check')).status, 0)
  t.equal((await runTool(restoreTool, backup, restored)).status, 0)
  t.equal(readFileSync(join(restored, 'users.acl'), 'latin1'), 'user default on nopass ~* &* +@all\n')
  t.same(readdirSync(place).sort(), ['deep', 'restored'], 'nothing else is left')
  t.equal(await digest(restored), await digest(folder))
})

t.test(
  'backups of a server that writes all the time are cuts through its history, and lose nothing acknowledged',
  async t => {
    const rng = seeded()
    t.comment(`SEED=${rng.seed}`)
    const server = await startServer({
      args: ['--checkpoint-dirty-bytes', '1mb', '--checkpoint-replay-records', '100'],
    })
    t.teardown(() => server.stop())
    const client = await RespClient.connect(server.port)
    // Transaction n puts n at two places: a cut holds a prefix of them, each whole.
    let acknowledged = 0
    let on = true
    const load = (async () => {
      for (let n = 1; on; n++) {
        const step = [
          ['MULTI'],
          ['SET', 'last', n],
          ['XADD', 'log', `${n}-0`, 'n', 'x'.repeat(rng.below(500))],
          ['EXEC'],
        ]
        await Promise.all(step.map(command => client.command(...command)))
        acknowledged = n
        if (rng.below(20) === 0) await client.text('BGSAVE', 'SCHEDULE')
      }
    })()
    const place = tempDir(t)
    for (let i = 0; i < 6; i++) {
      const before = acknowledged
      const target = join(place, `backup${i}`)
      const { status, out } = await runTool(backupTool, server.dir, target, '--check', '--json')
      t.match(JSON.parse(out), { target, whole: true })
      t.equal(status, 0)
      const { server: copy, connect } = await startInProcess(t, target)
      const reader = await connect()
      const last = Number(/\r\n(\d+)\r\n/.exec(await reader.text('GET', 'last'))?.[1] ?? 0)
      t.equal(await reader.text('XLEN', 'log'), `:${last}\r\n`, `backup ${i} ends with transaction ${last}`)
      t.ok(last >= before, 'and has all that was acknowledged before it began')
      await copy.close({ save: false })
    }
    on = false
    await load
    client.close()
  },
)

t.test('a folder without a checkpoint is a journal alone', async t => {
  const folder = tempDir(t)
  const { server, connect } = await startInProcess(t, folder)
  await (await connect()).text('SET', 'a', 1)
  const target = join(tempDir(t), 'backup')
  t.match((await runTool(backupTool, folder, target)).out, / 1 journal records behind it\n$/)
  const copy = await startInProcess(t, target)
  t.equal(await (await copy.connect()).text('GET', 'a'), '$1\r\n1\r\n')
  await server.close({ save: false })
})

t.test('nothing is overwritten, and a failure leaves nothing', async t => {
  const folder = await filledFolder(t)
  const place = tempDir(t)
  const full = join(place, 'full')
  mkdirSync(full)
  writeFileSync(join(full, 'mine'), '')
  await t.rejects(runTool(backupTool, folder, full), { name: 'UsageError', message: /not an empty folder/ })
  t.same(readdirSync(full), ['mine'])
  await t.rejects(runTool(backupTool, place, join(place, 'x')), { name: 'UsageError', message: /no file FORMAT/ })
  await damage(join(folder, 'store'), Table.Pages, (_, at) => at === 3, flip)
  await t.rejects(runTool(restoreTool, folder, join(place, 'new')), { message: /^The backup .* is damaged: / })
  t.notOk(existsSync(join(place, 'new')))
  const damaged = join(place, 'damaged')
  t.equal((await runTool(backupTool, folder, damaged, '--check')).status, 2, 'a copy of what is damaged says so')
  t.equal((await runTool(restoreTool, damaged, join(place, 'new'), '--no-check')).status, 0)
  t.equal((await runTool(checkTool, join(place, 'new'))).status, 2)
  t.same(readdirSync(place).sort(), ['damaged', 'full', 'new'])
})

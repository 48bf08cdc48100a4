// Repair: a new folder with what is whole, the damaged one untouched. DAMAGE_SAMPLES rows of each table (2).

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkTool } from '../../src/admin/check.js'
import { Environment } from '../../src/store/environment.js'
import { segmentsIn } from '../store/journal-fixture.js'
import { Table } from '../../src/store/row.js'
import { TABLE_NAMES } from '../../src/store/table-name.js'
import { startInProcess } from '../support/in-process.js'
import { seeded } from '../support/seeded.js'
import { tempDir } from '../support/temp-dir.js'
import { damage, FIELDS, filledFolder, flip, idIn, remove } from './damage.js'
import { runTool } from './tool-run.js'

t.setTimeout(600_000)
const SAMPLES = Number(process.env.DAMAGE_SAMPLES ?? 2)
const COUNTS: readonly (readonly string[])[] = [
  ['XLEN', 'stream'],
  ['HLEN', 'hash'],
  ['SCARD', 'set'],
  ['ZCARD', 'zset'],
  ['LLEN', 'list'],
  ['HLEN', 'expiring'],
  ['STRLEN', 'string'],
  ['STRLEN', 'short'],
  ['ZCARD', 'small'],
]

/** Items of each key of a folder, as a server that starts on it tells. */
async function countsOf(folder: string): Promise<{ counts: number[]; pending: number }> {
  const { server, connect } = await startInProcess(t, folder)
  const client = await connect()
  const counts: number[] = []
  for (const command of COUNTS) counts.push(Number((await client.text(...command)).slice(1)))
  const summary = await client.text('XPENDING', 'stream', 'group')
  await server.close({ save: false })
  return { counts, pending: Number(/^\*4\r\n:(\d+)/.exec(summary)?.[1] ?? -1) }
}

t.test('whatever row is damaged, a folder comes out that is whole and has the rest', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const folder = await filledFolder(t)
  const file = join(folder, 'store', 'data.mdb')
  const before = await countsOf(folder)
  for (const table of [Table.Pages, Table.Blocks, Table.Heads, Table.Parts, Table.Directory]) {
    const environment = new Environment(join(folder, 'store'), true)
    const rows = environment.countOf(table)
    await environment.close()
    for (let sample = 0; sample < Math.min(SAMPLES, rows); sample++) {
      const at = rng.below(rows)
      const restore = await damage(join(folder, 'store'), table, (_, place) => place === at, flip)
      const damagedFile = readFileSync(file)
      const target = join(tempDir(t), 'saved')
      const what = `row ${at} of ${TABLE_NAMES[table]}`
      const repaired = await runTool(checkTool, folder, '--repair', target)
      t.equal(repaired.status, 0, `${what}: ${repaired.out}`)
      t.match(repaired.out, /(what is whole was saved|nothing could be saved)/)
      t.ok(readFileSync(file).equals(damagedFile), 'the damaged folder is as it was')
      const check = await runTool(checkTool, target)
      t.equal(check.status, 0, check.out)
      t.notMatch(check.out, /^(damaged|unused)/m)
      const { counts } = await countsOf(target)
      const less = counts.filter((count, i) => count !== before.counts[i])
      t.ok(less.length <= 1, `${what}: other keys are as they were: ${counts.join()} of ${before.counts.join()}`)
      t.ok(counts.every((count, i) => count <= before.counts[i]))
      await restore()
      rmSync(target, { recursive: true })
    }
  }
})

t.test('what is kept twice is lost by none', async t => {
  const folder = await filledFolder(t)
  const before = await countsOf(folder)
  // Kinds of pages: records of a group, IDs of a consumer, fields by hash (also of the sorted set), members by score.
  for (const [kind, name] of [
    [2, 'pending'],
    [3, 'pending'],
    [18, 'zset'],
  ] as const) {
    let tree = -1
    const ofKind = (key: Buffer): boolean => {
      if (tree < 0 && kinds.get(key.toString('hex')) === kind) tree = idIn(key)
      return idIn(key) === tree && kinds.get(key.toString('hex')) === kind
    }
    const kinds = new Map<string, number>()
    const environment = new Environment(join(folder, 'store'), true)
    for (const key of environment.keys(Table.Pages))
      kinds.set(key.toString('hex'), environment.read(Table.Pages, key)![2])
    await environment.close()
    const restore = await damage(join(folder, 'store'), Table.Pages, ofKind, remove)
    const target = join(tempDir(t), 'saved')
    await runTool(checkTool, folder, '--repair', target)
    const after = await countsOf(target)
    if (name === 'pending') t.equal(after.pending, before.pending, `pages of kind ${kind}`)
    else t.equal(after.counts[3], FIELDS)
    await restore()
  }
})

t.test('the journal is kept up to its damage, without commands on what is damaged', async t => {
  const folder = await filledFolder(t)
  const { server, connect } = await startInProcess(t, folder)
  const client = await connect()
  await client.text('XADD', 'stream', '9000-0', 'f', 'v')
  await client.text('SET', 'after', 'kept')
  await client.text('COPY', 'hash', 'twin')
  await client.text('HSET', 'twin', 'f', 'v')
  await client.text('SET', 'last', 'lost')
  const busy = runTool(checkTool, folder, '--repair', join(tempDir(t), 'x'))
  await t.rejects(busy, { name: 'UsageError', message: /is in use: stop the server before it is repaired/ })
  await server.close({ save: false })
  await damage(join(folder, 'store'), Table.Heads, () => true, flip)
  const [segment] = segmentsIn(join(folder, 'journal'))
  t.ok(segment)
  const target = join(tempDir(t), 'saved')
  const { out } = await runTool(checkTool, folder, '--repair', target)
  t.match(out, /^key "hash": nothing could be saved$/m)
  t.match(out, /commands on damaged keys, and on what they would have changed, are lost$/m)
  const again = await startInProcess(t, target)
  const reader = await again.connect()
  t.equal(await reader.text('GET', 'after'), '$4\r\nkept\r\n')
  t.equal(await reader.text('EXISTS', 'twin', 'stream', 'hash'), ':0\r\n')
  await again.server.close({ save: false })
})

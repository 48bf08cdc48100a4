// A server on a store in which one row is damaged, for every kind of row: commands that need it are refused by name,
// everything else is served as before, the damaged key can be removed in every way, and checkpoints and restarts work.
// DAMAGE_SAMPLES rows of each table (2).

import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { Environment } from '../../src/store/environment.js'
import { Table } from '../../src/store/row.js'
import { TABLE_NAMES } from '../../src/store/table-name.js'
import { damage, filledFolder, flip, remove } from '../admin/damage.js'
import { startInProcess } from '../support/in-process.js'
import type { RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'
import { tempDir } from '../support/temp-dir.js'
import { until } from '../store/journal-fixture.js'

t.setTimeout(600_000)
const SAMPLES = Number(process.env.DAMAGE_SAMPLES ?? 2)
/** A way to read all of each key, in replies that are worked out before they begin: long ones break off instead. */
const READS: Record<string, (string | number)[][]> = {
  stream: [
    ['XRANGE', 'stream', '-', '+'],
    ['XINFO', 'STREAM', 'stream', 'FULL', 'COUNT', 100],
    ['XPENDING', 'stream', 'group', '-', '+', 10_000, 'alice'],
    ['XPENDING', 'stream', 'group', '-', '+', 10_000, 'bob'],
    ['XTRIM', 'stream', 'MINID', '~', '1-0', 'LIMIT', 0],
  ],
  hash: [['HGETALL', 'hash']],
  set: [['SMEMBERS', 'set']],
  zset: [
    ['ZRANGE', 'zset', 0, -1, 'WITHSCORES'],
    ['ZSCAN', 'zset', 0, 'COUNT', 10_000],
  ],
  list: [['LRANGE', 'list', 0, -1]],
  expiring: [['HGETALL', 'expiring']],
  string: [['GET', 'string']],
  short: [['GET', 'short']],
  small: [['ZRANGE', 'small', 0, -1]],
}
const REMOVALS: readonly ((client: RespClient, key: string) => Promise<unknown>)[] = [
  (client, key) => client.text('DEL', key),
  (client, key) => client.text('UNLINK', key),
  (client, key) => client.text('PEXPIREAT', key, 1),
  (client, key) => client.text('SET', key, 'another'),
  (client, key) => client.text('RENAME', 'other', key),
  (client, key) => client.text('PEXPIRE', key, 1),
  client => client.text('FLUSHDB'),
]

/** The replies to all READS, as one text per key, or the error. */
async function readAll(client: RespClient): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const [key, commands] of Object.entries(READS)) {
    const replies: string[] = []
    for (const command of commands) replies.push(await client.text(...command))
    const refused = replies.find(reply => reply.startsWith('-'))
    // How long ago things were seen passes.
    texts.set(key, refused ?? replies.join('').replace(/(\*4\r\n\$\d+\r\n[^\r]+\r\n\$\d+\r\n[^\r]*\r\n):\d+/g, '$1'))
  }
  return texts
}

async function serveDamaged(
  t: Test,
  folder: string,
  what: string,
  before: Map<string, string>,
  way: number,
): Promise<void> {
  const { server, connect, lines, stopped } = await startInProcess(t, folder)
  const client = await connect()
  const found = await readAll(client)
  const differing = [...found].filter(([key, text]) => text !== before.get(key))
  for (const [key, text] of differing) {
    t.match(text, /^-CORRUPT /, `${what}: ${text.slice(0, 200)}`)
    t.match(text, ` (key '${key}')\r\n`, 'the key is named')
  }
  t.ok(differing.length <= 1, `${what}: ${differing.map(([key]) => key).join()} is refused, and nothing else`)
  const [key] = differing[0] ?? []
  if (key !== undefined) {
    t.match(await client.text('INFO', 'storage'), /damaged_pieces:[1-9]\d*\r\ndamage_refusals:[1-9]/)
    t.equal(lines.filter(line => line.includes('met damaged data')).length > 0, true, 'it is logged')
    await client.text('SET', 'other', 1)
    await REMOVALS[way % REMOVALS.length](client, key)
    await client.text('DEL', key)
    const gone = async () => (await client.text('EXISTS', key)) === ':0\r\n'
    t.ok(await gone(), 'it can be removed')
    t.equal(await client.text('SET', key, 'new'), '+OK\r\n', 'and made again')
  }
  t.equal(await client.text('SAVE'), '+OK\r\n', 'a checkpoint works')
  t.same(stopped, [], 'the server is up')
  await server.close({ save: true })
  const again = await startInProcess(t, folder)
  const reader = await again.connect()
  if (key !== undefined) t.equal(await reader.text('GET', key), '$3\r\nnew\r\n', 'it is as it was left after a restart')
  await again.server.close({ save: false })
}

t.test('one damaged row refuses what needs it, by name, and nothing else', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const folder = await filledFolder(t)
  const whole = await startInProcess(t, folder)
  const before = await readAll(await whole.connect())
  await whole.server.close({ save: false })
  let way = 0
  for (const table of [Table.Pages, Table.Blocks, Table.Heads, Table.Parts]) {
    const environment = new Environment(join(folder, 'store'), true)
    const rows = environment.countOf(table)
    await environment.close()
    for (let sample = 0; sample < Math.min(SAMPLES, rows); sample++) {
      const copy = tempDir(t)
      cpSync(folder, copy, { recursive: true })
      const at = rng.below(rows)
      const change = sample % 2 === 0 ? flip : remove
      await damage(join(copy, 'store'), table, (_, place) => place === at, change)
      await serveDamaged(t, copy, `row ${at} of ${TABLE_NAMES[table]} ${change.name}`, before, way++)
      rmSync(copy, { recursive: true })
    }
  }
})

t.test('expired keys and fields whose value is damaged go in the background, and stop nothing', async t => {
  const folder = await filledFolder(t)
  await damage(join(folder, 'store'), Table.Heads, () => true, flip)
  const { server, connect, stopped } = await startInProcess(t, folder, { hz: 100 })
  const client = await connect()
  for (const key of Object.keys(READS)) await client.text('PEXPIRE', key, 1)
  await client.text('SELECT', 3)
  await client.text('DEL', 'elsewhere')
  await client.text('SELECT', 0)
  await client.text('DEL', 'k'.repeat(600))
  let size = ''
  const look = setInterval(() => void client.text('DBSIZE').then(text => (size = text)), 5)
  await until(() => size === ':0\r\n')
  clearInterval(look)
  t.equal(await client.text('SAVE'), '+OK\r\n')
  t.same(stopped, [])
  await server.close({ save: true })
})

import { join } from 'node:path'
import t from 'tap'
import { checkStore } from '../../src/admin/store-check.js'
import type { StoreReport } from '../../src/admin/store-check.js'
import { findingText } from '../../src/admin/finding-text.js'
import { Environment } from '../../src/store/environment.js'
import { Table } from '../../src/store/row.js'
import { damage, filledFolder, flip, idIn, remove } from './damage.js'
import type { Change } from './damage.js'

async function check(folder: string): Promise<StoreReport> {
  const environment = new Environment(join(folder, 'store'), true)
  try {
    return checkStore(environment, () => undefined)
  } finally {
    await environment.close()
  }
}

t.setTimeout(300_000)

t.test('a store is whole until a row of it is not', async t => {
  const whole = await filledFolder(t)
  const before = await check(whole)
  t.same(before.findings, [])
  t.same(before.waste, [])
  t.equal(before.keys, 11)
  t.ok(before.pages > 40, `${before.pages} pages were read`)

  const damaged = async (table: Table, which: (key: Buffer, place: number) => boolean, change: Change) => {
    const restore = await damage(join(whole, 'store'), table, which, change)
    const report = await check(whole)
    await restore()
    return { ...report, texts: report.findings.map(findingText) }
  }
  const environment = new Environment(join(whole, 'store'), true)
  const keysOf = (table: Table) => Array.from(environment.keys(table))
  const [pages, blocks, heads, parts, directory] = [
    Table.Pages,
    Table.Blocks,
    Table.Heads,
    Table.Parts,
    Table.Directory,
  ]
  const pageRows = keysOf(pages)
  const blockRows = keysOf(blocks)
  const partRows = keysOf(parts)
  const headRows = keysOf(heads)
  const directoryRows = keysOf(directory)
  await environment.close()

  for (const [name, change] of [
    ['flipped', flip],
    ['removed', remove],
  ] as const) {
    for (const at of [0, 1, pageRows.length >> 1, pageRows.length - 1]) {
      const { texts } = await damaged(pages, (_, place) => place === at, change)
      t.ok(texts.length > 0, `page ${at} ${name}: ${texts.join('; ')}`)
      t.match(texts[0], /^key "\w+" of database 0: /, 'its key is named')
      t.match(texts[0], / are lost$/, 'and what is lost')
    }
    for (let at = 0; at < blockRows.length; at++) {
      const { texts } = await damaged(blocks, (_, place) => place === at, change)
      t.match(texts[0], /^key "\w+" of database 0: .* are lost$/, `block ${at} ${name}`)
    }
    for (let at = 0; at < partRows.length; at++) {
      const { texts } = await damaged(parts, (_, place) => place === at, change)
      t.match(texts[0], /^key "stream" of database 0: /, `part ${at} ${name}: ${texts[0]}`)
    }
    for (let at = 0; at < headRows.length; at++) {
      const { texts } = await damaged(heads, (_, place) => place === at, change)
      t.match(texts[0], /^key "\w+" of database [03]: .*; the key is lost$/, `head ${at} ${name}: ${texts[0]}`)
    }
  }
  for (let at = 0; at < directoryRows.length; at++) {
    const { texts } = await damaged(directory, (_, place) => place === at, flip)
    t.match(texts[0], /; the key is lost$/, texts[0])
    const without = await damaged(directory, (_, place) => place === at, remove)
    t.same(without.texts, [], 'a key that is missing altogether cannot be told from one that never was')
    t.match(without.waste[0], /belongs to no key$/, without.waste.join('; '))
  }
  t.same((await check(whole)).findings, [], 'put back, all is whole again')
  t.ok(new Set(pageRows.map(idIn)).size >= 9, 'the trees of all types took part')
})

t.test('rows that are whole but do not belong together are found', async t => {
  const folder = await filledFolder(t)
  const environment = new Environment(join(folder, 'store'))
  const rows = environment.tables[Table.Pages]
  const keys = Array.from(environment.keys(Table.Pages)).filter(
    key => idIn(key) === idIn(Array.from(environment.keys(Table.Pages))[0]),
  )
  const [a, b] = [Buffer.from(rows.getBinary(keys[0])!), Buffer.from(rows.getBinary(keys[1])!)]
  environment.root.transactionSync(() => {
    rows.putSync(keys[0], b)
    rows.putSync(keys[1], a)
  })
  await environment.close()
  const { findings } = await check(folder)
  t.ok(findings.length > 0, findings.map(findingText).join('; '))
})

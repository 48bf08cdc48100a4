// Every command of the table is generated, but for those that are listed with the reason.

import t from 'tap'
import { commandTable } from '../../src/commands/all-commands.js'
import { requestOf } from '../../src/resp/request.js'
import { LATER, UNSENT } from '../matrix/exceptions.js'
import { Seeded } from '../support/seeded.js'
import { Generator } from './generator.js'
import { UNGENERATED } from './row-kinds.js'

const COMMANDS = 60_000

t.test('each row of the table is generated or listed', async t => {
  const table = commandTable()
  const generator = new Generator(new Seeded(1))
  const counts = new Map<string, number>()
  for (let i = 0; i < COMMANDS; i++) {
    const row = table.lookup(requestOf(generator.next()))
    if (row !== undefined) counts.set(row.name, (counts.get(row.name) ?? 0) + 1)
  }
  for (const { name, children } of table.rows) {
    const reason = UNGENERATED.get(name) ?? UNSENT.get(name) ?? LATER.get(name)
    if (children === undefined && reason === undefined) t.ok((counts.get(name) ?? 0) > 0, `${name} is generated`)
  }
  for (const [name, reason] of UNGENERATED) t.notOk(counts.has(name), `${name} is not generated: ${reason}`)
  for (const name of UNGENERATED.keys()) t.ok(table.row(name) !== undefined, `${name} is a row`)
})

import t from 'tap'
import { AclCatalog } from '../../src/commands/acl-catalog.js'
import { commandTable } from '../../src/commands/all-commands.js'
import { CATEGORIES } from '../../src/commands/command-info.js'
import { Flag } from '../../src/commands/spec.js'

const table = commandTable()
const catalog = new AclCatalog(table)

t.test('rows are found by full name in any case, internal ones not', async t => {
  t.equal(catalog.row('GET')?.name, 'get')
  t.equal(catalog.row('Config|Get')?.name, 'config|get')
  t.equal(catalog.row('none'), undefined)
  const internal = table.rows.find(row => (row.flags & Flag.Internal) !== 0)!
  t.equal(catalog.row(internal.name), undefined)
})

t.test('a family is a container with its subcommands', async t => {
  const names = catalog.family(catalog.row('config')!).map(row => row.name)
  t.equal(names[0], 'config')
  t.ok(names.includes('config|set'))
  t.same(
    catalog.family(catalog.row('get')!).map(row => row.name),
    ['get'],
  )
})

t.test('every visible row is fast or slow, and categories hold subcommands', async t => {
  const names = (category: string) => catalog.category(category)!.map(row => row.name)
  const visible = table.rows.filter(row => (row.flags & Flag.Internal) === 0)
  t.equal(names('fast').length + names('slow').length, visible.length)
  t.ok(names('ADMIN').includes('config|set'))
  t.notOk(names('admin').includes('config'))
  t.same(names('hyperloglog'), [])
  t.equal(catalog.category('none'), undefined)
  for (const category of CATEGORIES) t.ok(catalog.category(category), category)
})

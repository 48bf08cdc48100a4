import t from 'tap'
import { CommandTable, keysOf } from '../../src/commands/table.js'
import { defineCommand, Flag, keysAt } from '../../src/commands/spec.js'
import type { CommandSpec, KeySpec } from '../../src/commands/spec.js'
import { requestOf } from '../../src/resp/request.js'

function row(name: string, traits: Partial<CommandSpec<undefined>> = {}): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -2,
    flags: Flag.ReadOnly,
    categories: [],
    keys: [],
    group: 'generic',
    since: '1.0.0',
    summary: 'For this test.',
    parse: () => undefined,
    run: () => undefined,
    ...traits,
  })
}

t.test('a row is found by its name in any case, a subcommand by both names', async t => {
  const table = new CommandTable([
    row('get'),
    row('xgroup', { subcommands: [row('xgroup|create'), row('xgroup|help')] }),
  ])
  t.equal(table.lookup(requestOf(['GeT', 'a']))?.name, 'get')
  t.equal(table.lookup(requestOf(['XGROUP', 'Create', 'a']))?.name, 'xgroup|create')
  t.equal(table.lookup(requestOf(['xgroup']))?.name, 'xgroup', 'a container alone is its own row')
  t.equal(table.lookup(requestOf(['xgroup', 'nope'])), undefined)
  t.equal(table.lookup(requestOf(['ge', 'a'])), undefined)
  t.equal(table.lookup(requestOf(['gets'])), undefined)
  t.equal(table.lookup(requestOf(['', 'a'])), undefined)
  t.equal(table.find('XGROUP|CREATE')?.name, 'xgroup|create')
  t.same(
    table.rows.map(r => r.index),
    [0, 1, 2, 3],
  )
})

t.test('many names share the index without getting mixed up', async t => {
  const names = Array.from({ length: 300 }, (_, i) => `command${i}`)
  const table = new CommandTable(names.map(name => row(name)))
  for (const name of names) t.equal(table.lookup(requestOf([name.toUpperCase()]))?.name, name)
})

t.test('bytes that differ from a name only in the case bit are another name', async t => {
  const table = new CommandTable([row('a[b')])
  t.equal(table.lookup(requestOf(['A[B']))?.name, 'a[b')
  t.equal(table.lookup(requestOf(['a{b'])), undefined)
})

t.test('internal rows are neither listed nor found by name', async t => {
  const table = new CommandTable([row('get'), row('secret', { flags: Flag.Internal })])
  t.equal(table.find('secret'), undefined)
  t.same(
    table.commands.map(spec => spec.name),
    ['get'],
  )
  t.equal(table.lookup(requestOf(['secret']))?.name, 'secret', 'the replay finds it')
})

t.test('texts for what is unknown are those of redis-server 7.0', async t => {
  const table = new CommandTable([row('config', { subcommands: [row('config|get')] })])
  const text = (...args: string[]) => table.unknownText(requestOf(args))
  t.equal(text('foo'), "ERR unknown command 'foo', with args beginning with: ")
  t.equal(text('foo', 'a\0b', 'c'), "ERR unknown command 'foo', with args beginning with: 'a' 'c' ")
  t.equal(
    text('foo', 'a'.repeat(100), 'b'.repeat(100), 'c'),
    `ERR unknown command 'foo', with args beginning with: '${'a'.repeat(100)}' '${'b'.repeat(25)}' `,
  )
  t.equal(text('f'.repeat(200)), `ERR unknown command '${'f'.repeat(128)}', with args beginning with: `)
  t.equal(text('Config', 'x'.repeat(200)), `ERR unknown subcommand '${'x'.repeat(128)}'. Try CONFIG HELP.`)
})

t.test('a table that contradicts itself is refused at the start', async t => {
  const make =
    (...rows: CommandSpec<never>[]) =>
    () =>
      new CommandTable(rows)
  t.throws(make(row('a'), row('a')), /duplicate command a/)
  t.throws(make(row('A')), /lower case/)
  t.throws(make(row('a', { flags: Flag.Write | Flag.ReadOnly })), /not both/)
  t.throws(make(row('a', { keys: keysAt(['RO'], 2) })), /outside the minimum arity/)
  t.throws(make(row('a', { subcommands: [row('b|c')] })), /not named after/)
  t.throws(make(row('a', { subcommands: [row('a|c', { arity: 1 })] })), /counts both names/)
  t.throws(make(row('a', { summary: '' })), /no summary/)
  t.throws(make(row('a', { arity: 0 })), /arity of 0/)
})

t.test('keys are found as the key specifications say', async t => {
  const keys = (specs: KeySpec[], ...args: string[]) => keysOf({ keys: specs }, requestOf(args))
  t.same(keys(keysAt(['RO'], 1), 'get', 'a'), [1])
  t.same(keys(keysAt(['RO'], 1, -1), 'del', 'a', 'b', 'c'), [1, 2, 3])
  t.same(keys(keysAt(['OW'], 1, -1, 2), 'mset', 'a', '1', 'b', '2'), [1, 3])
  const streams: KeySpec = {
    flags: ['RO'],
    begin: { keyword: 'STREAMS', startFrom: 1 },
    find: { lastKey: -1, step: 1, limit: 2 },
  }
  t.same(keys([streams], 'xread', 'count', '1', 'streams', 'a', 'b', '0', '0'), [4, 5])
  t.same(keys([streams], 'xread', 'count', '1'), [], 'no keyword, no keys')
  const numbered: KeySpec = { flags: ['RW'], begin: { index: 2 }, find: { keyNumIndex: 0, firstKey: 1, step: 1 } }
  t.same(keys([numbered], 'eval', 'x', '2', 'a', 'b', 'c'), [3, 4])
  t.equal(keys([numbered], 'eval', 'x', '0'), undefined, 'none')
  t.equal(keys([numbered], 'eval', 'x', '3', 'a'), undefined, 'more keys than arguments')
  t.equal(keys([numbered], 'eval', 'x', 'many', 'a'), undefined)
  t.equal(keys(keysAt(['RO'], 1), 'get'), undefined)
})

import t from 'tap'
import { commandTable } from '../../src/commands/all-commands.js'
import { writeDocs } from '../../src/commands/command-info.js'
import { ReplyWriter } from '../../src/resp/reply-writer.js'
import { FakeServer, sameAsRedis } from '../support/fake-server.js'

/** The subcommands are compared apart: their order differs, and Redis has more. */
const ALONE = [
  'PING',
  'AUTH',
  'HELLO',
  'INFO',
  'LASTSAVE',
  'SAVE',
  'SHUTDOWN',
  'WAIT',
  'ROLE',
  'DEBUG',
  'LOLWUT',
  'TIME',
]
const SUBCOMMANDS = [
  'CONFIG|SET',
  'CLIENT|KILL',
  'CLIENT|LIST',
  'CLIENT|ID',
  'SLOWLOG|GET',
  'LATENCY|GRAPH',
  'MEMORY|USAGE',
]

t.test('COMMAND answers as redis-server', t =>
  sameAsRedis(t, [
    ...[...ALONE, ...SUBCOMMANDS, 'nosuch', 'config|get|key'].map(name => `COMMAND INFO ${name}`),
    'COMMAND foo',
    'COMMAND DOCS foo',
    'COMMAND LIST FILTERBY ACLCAT foo',
    'COMMAND LIST FILTERBY MODULE foo',
    'COMMAND LIST FILTERBY PATTERN ech*',
    'COMMAND LIST FILTERBY foo bar',
    'COMMAND LIST FILTERBY',
    'COMMAND LIST foo',
    'COMMAND GETKEYS',
    'COMMAND GETKEYS ping',
    'COMMAND GETKEYS foo b c',
    'COMMAND GETKEYS ping a',
    'COMMAND GETKEYS config set a b',
    'COMMAND GETKEYS memory usage foo',
    'COMMAND GETKEYSANDFLAGS memory usage foo',
    'COMMAND COUNT x',
  ]),
)

t.test('COMMAND without arguments and INFO without names tell everything', async t => {
  const server = new FakeServer()
  const all = server.ask('COMMAND')
  t.match(all, new RegExp(`^\\*${server.context.table.commands.length}\\r\\n`))
  t.equal(server.ask('COMMAND', 'INFO'), all)
  t.equal(server.ask('COMMAND', 'COUNT'), `:${server.context.table.commands.length}\r\n`)
})

t.test('LIST names subcommands too, and filters by category', async t => {
  const server = new FakeServer()
  t.match(server.ask('COMMAND', 'LIST'), /\r\nclient\|list\r\n/)
  const connection = server.ask('COMMAND', 'LIST', 'FILTERBY', 'ACLCAT', 'connection')
  t.match(connection, /\r\nping\r\n/)
  t.notMatch(connection, /\r\nconfig/)
})

t.test('DOCS names the arguments of what takes keys alone', async t => {
  const reply = (name: string) => {
    const writer = new ReplyWriter()
    writeDocs(writer, commandTable().find(name)!)
    return Buffer.concat(writer.take())
      .toString('latin1')
      .replaceAll(/\$\d+\r\n/g, '')
      .replaceAll('\r\n', ' ')
  }
  t.match(reply('type'), / arguments \*1 \*6 name key type key key_spec_index :0 $/)
  t.match(reply('rename'), / arguments \*2 \*6 name key1 type key key_spec_index :0 \*6 name key2 type key /)
  for (const name of ['set', 'del', 'ping', 'xinfo|groups', 'eval']) {
    t.equal(reply(name).includes('arguments'), name === 'xinfo|groups', `${name}: a part of them would mislead`)
  }
})

t.test('DOCS has summary, since, group, complexity and subcommands', async t => {
  const server = new FakeServer()
  server.me.protocol = 3
  t.equal(
    server.ask('COMMAND', 'DOCS', 'ECHO'),
    '%1\r\n$4\r\necho\r\n%4\r\n$7\r\nsummary\r\n$23\r\nAnswers the given text.\r\n$5\r\nsince\r\n$5\r\n1.0.0\r\n' +
      '$5\r\ngroup\r\n$10\r\nconnection\r\n$10\r\ncomplexity\r\n$4\r\nO(1)\r\n',
  )
  t.match(server.ask('COMMAND', 'DOCS', 'config'), /\r\n\$11\r\nsubcommands\r\n%5\r\n\$10\r\nconfig\|get\r\n/)
})

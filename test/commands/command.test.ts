import t from 'tap'
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

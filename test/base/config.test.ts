import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { Config } from '../../src/base/config.js'
import { INERT_PARTS } from '../../src/base/config-inert.js'
import { OPTIONS } from '../../src/base/config-options.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { tempDir } from '../support/temp-dir.js'

const FAILED = (name: string, why: string) => `ERR CONFIG SET failed (possibly related to argument '${name}') - ${why}`

t.test('every value that GET shows can be SET and changes nothing', async t => {
  const config = new Config()
  const before = config.match(['*'])
  const options = { ...OPTIONS, ...Object.assign({}, ...Object.values(INERT_PARTS)) } as typeof OPTIONS
  for (const [name, text] of before) {
    const row = options[name as keyof typeof OPTIONS]
    if (row === undefined || row.immutable) continue
    t.equal(config.set([[name, text]], true).changed.size, 0, name)
  }
  t.same(config.match(['*']), before)
})

t.test('names, aliases, patterns and hidden directives are found', async t => {
  const config = new Config()
  t.equal(config.get('HASH-max-ziplist-entries'), '512')
  t.equal(config.get('nosuch'), undefined)
  t.same(config.match(['Hz', 'hash-max-*-value', 'hz', 'nosuch']), [
    ['hz', '10'],
    ['hash-max-listpack-value', '64'],
    ['hash-max-ziplist-value', '64'],
  ])
  t.notOk(config.match(['*']).some(([name]) => name === 'key-load-delay'))
  t.same(config.match(['key-load-delay']), [['key-load-delay', '0']])
})

t.test('values are typed fields', async t => {
  const config = new Config({ slowlogMaxLen: 5 })
  t.equal(config.values.slowlogMaxLen, 5)
  t.equal(config.get('slowlog-max-len'), '5')
  config.set([
    ['lua-time-limit', '1'],
    ['notify-keyspace-events', 'KEA'],
    ['hz', '100000'],
  ])
  t.equal(config.values.busyReplyThreshold, 1)
  t.ok(config.values.notifyKeyspaceEvents.includes('t'))
  t.equal(config.values.hz, 500)
})

t.test('a set of several directives happens as a whole or not at all', async t => {
  const config = new Config()
  const heard: number[] = []
  config.onChange('maxmemory', bytes => heard.push(bytes))
  config.onChange('timeout', seconds => {
    if (seconds === 13) throw new Error('not thirteen')
  })
  const refused = (pairs: [string, string][]) => {
    try {
      config.set(pairs)
    } catch (error) {
      return (error as Error).message
    }
    return 'accepted'
  }
  t.equal(
    refused([
      ['maxmemory', '5mb'],
      ['hz', 'abc'],
    ]),
    FAILED('hz', "argument couldn't be parsed into an integer"),
  )
  t.same([config.get('maxmemory'), heard], ['0', []])
  t.equal(
    refused([
      ['maxmemory', '5mb'],
      ['timeout', '13'],
    ]),
    FAILED('timeout', 'not thirteen'),
  )
  t.same([config.get('maxmemory'), config.values.maxmemory], ['0', 0])
  t.same(heard, [5 * 1024 * 1024, 0], 'the listener heard of the change and of its undoing')
  const change = config.set([['maxmemory', '1gb']])
  t.same([...change.changed], ['maxmemory'])
  change.undo()
  t.same([config.get('maxmemory'), heard.at(-1)], ['0', 0])
})

t.test('protected directives need leave', async t => {
  const config = new Config()
  t.throws(() => config.set([['dbfilename', 'x']]), { message: FAILED('dbfilename', "can't set protected config") })
  config.set([['dbfilename', 'x']], true)
  t.equal(config.get('dbfilename'), 'x')
})

t.test('what cannot work is refused with a reason', async t => {
  const config = new Config()
  t.throws(() => config.set([['tls-port', '1']]), { message: FAILED('tls-port', 'TLS is not supported') })
  t.throws(() => config.set([['activedefrag', 'yes']]), /Active defragmentation cannot be enabled/)
  for (const argv of [
    ['--cluster-enabled', 'yes'],
    ['--replicaof', 'host', '1'],
    ['--daemonize', 'yes'],
    ['--rename-command', 'GET', ''],
    ['--loadmodule', 'x.so'],
  ]) {
    t.throws(() => Config.fromCommandLine(argv), { name: 'UsageError', message: /support|renamed/ }, argv.join(' '))
  }
  const { users } = Config.fromCommandLine(['--user', 'alice', 'on', '--user', 'bob'])
  t.same(
    users.map(({ words }) => words),
    [['alice', 'on'], ['bob']],
    'users are kept for who knows the commands',
  )
})

t.test('mistakes on the command line and in files name the place, the fault and what is right', async t => {
  const rows: [string[], string][] = [
    [['--port'], `command line, 'port': wrong number of arguments; port takes integer from 0 to 65535`],
    [
      ['--port', '1', '2'],
      `command line, 'port "1" "2"': wrong number of arguments; port takes integer from 0 to 65535`,
    ],
    [
      ['--port', '--bla'],
      `command line, 'port "--bla"': argument couldn't be parsed into an integer; port takes integer from 0 to 65535`,
    ],
    [
      ['--nosuch', '1'],
      `command line, 'nosuch "1"': Bad directive or wrong number of arguments; ` +
        'docs/configuration.md lists all directives',
    ],
  ]
  for (const [argv, message] of rows) t.throws(() => Config.fromCommandLine(argv), { name: 'UsageError', message })
  const path = join(tempDir(t), 'x.conf')
  writeFileSync(path, '# c\nloglevel loud\n')
  t.throws(() => Config.fromCommandLine([path]), {
    name: 'UsageError',
    message:
      `line 2 of ${path}, 'loglevel "loud"': argument(s) must be one of the following: debug, verbose, notice, ` +
      'warning; loglevel takes one of debug, verbose, notice, warning',
  })
})

t.test('save adds up within a file and starts anew from the defaults', async t => {
  t.equal(new Config().get('save'), '3600 1 300 100 60 10000')
  t.equal(Config.fromCommandLine(['--save', '900', '1', '--save', '1 2']).get('save'), '900 1 1 2')
  t.equal(Config.fromCommandLine(['--save', '900', '1', '--save', '']).get('save'), '')
  t.equal(Config.fromCommandLine(['--save']).get('save'), '')
})

t.test('dir is absolute and paths are UTF-8', async t => {
  t.equal(new Config().values.dir, resolve('data'))
  t.equal(Config.fromCommandLine(['--dir', 'sub/\u00e9']).values.dir, resolve('sub/\u00e9'))
})

t.test('CONFIG REWRITE writes what differs and the file reads back the same', async t => {
  const path = join(tempDir(t), 'x.conf')
  writeFileSync(path, '# mine\nhash-max-ziplist-entries 5\nmaxmemory 10mb\nsave 1 2\n')
  const config = Config.fromCommandLine([path, '--requirepass', 'a "b'])
  config.set([
    ['save', '3 4 5 6'],
    ['hash-max-listpack-entries', '6'],
    ['client-output-buffer-limit', 'pubsub 1 2 3'],
    ['shutdown-on-sigterm', 'nosave now'],
  ])
  config.rewrite()
  const text = readFileSync(path, 'latin1')
  t.match(text, /^# mine\nhash-max-listpack-entries 6\nmaxmemory 10mb\nsave 3 4\n\n# Generated by CONFIG REWRITE\n/)
  t.same(Config.fromCommandLine([path]).match(['*']), config.match(['*']))
  config.rewrite()
  t.equal(readFileSync(path, 'latin1'), text, 'a second time changes nothing')
  config.rewrite(true)
  t.same(Config.fromCommandLine([path]).match(['*']), config.match(['*']), 'all directives written out')
})

t.test('CONFIG REWRITE without a file, or with one that cannot be written, is an error', async t => {
  t.throws(() => new Config().rewrite(), { message: 'ERR The server is running without a config file' })
  const dir = tempDir(t)
  mkdirSync(join(dir, 'x.conf.rewrite'))
  writeFileSync(join(dir, 'x.conf'), 'hz 11\n')
  const config = Config.fromCommandLine([join(dir, 'x.conf')])
  t.throws(() => config.rewrite(true), { message: /^ERR Rewriting config file: / })
  t.equal(readFileSync(join(dir, 'x.conf'), 'latin1'), 'hz 11\n')
})

t.test('defaults, names and errors are those of redis-server', { skip: findRedisServer() === undefined }, async t => {
  const server = await startRedisServer()
  t.teardown(() => server.stop())
  const client = await RespClient.connect(server.port)
  t.teardown(() => client.close())
  const config = new Config()
  const lines = (await client.text('CONFIG', 'GET', '*')).split('\r\n').filter((_, i) => i > 0 && i % 2 === 0)
  const differs = new Set(['port', 'bind', 'dir', 'save', 'appendonly'])
  for (let i = 0; i < lines.length; i += 2) {
    if (!differs.has(lines[i])) t.equal(config.get(lines[i]), lines[i + 1], lines[i])
  }
  const bad: [string, string][] = Object.entries({ ...OPTIONS, ...Object.assign({}, ...Object.values(INERT_PARTS)) })
    .filter(
      ([name]) =>
        !/^(page-cache|checkpoint|journal|maxmemory-evict-grouped|set-max-listpack|tls-)/.test(name) &&
        !/^(reply-stall|string-row|stream-(capacity|exact|group|idmp))/.test(name) &&
        !/^(bind|dir|oom-score-adj|databases)$/.test(name),
    )
    .flatMap(([name]) => [
      [name, '-99999999999'],
      [name, 'zzz'],
      [name, ''],
    ])
  for (const [name, text] of bad) {
    const theirs = (await client.text('CONFIG', 'SET', name, text)).trim()
    let ours = '+OK'
    try {
      config.set([[name, text]])
    } catch (error) {
      ours = `-${(error as Error).message}`
    }
    t.equal(ours, theirs, `${name} '${text}'`)
  }
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { askedFor, readCommandLine, USAGE } from '../../src/base/command-line.js'
import { tempDir } from '../support/temp-dir.js'

const options = (...argv: string[]) => readCommandLine(argv).directives.map(({ name, words }) => [name, ...words])

t.test('options take all words up to the next one', async t => {
  t.same(options('--port', '7300', '--save', '', '--client-output-buffer-limit', 'normal', '0', '0', '0'), [
    ['port', '7300'],
    ['save', ''],
    ['client-output-buffer-limit', 'normal', '0', '0', '0'],
  ])
  t.same(options('--port=7300', '--requirepass=a=b c'), [
    ['port', '7300'],
    ['requirepass', 'a=b c'],
  ])
})

t.test('a value may begin with dashes, as in redis-server', async t => {
  t.same(options('--port', '--loglevel', 'verbose'), [['port', '--loglevel', 'verbose']])
  t.same(options('--logfile', '--my--log', '--loglevel', '--bla'), [
    ['logfile', '--my--log'],
    ['loglevel', '--bla'],
  ])
  t.same(options('--proc-title-template', '--save', '--save', '', '--loglevel', 'verbose'), [
    ['proc-title-template', '--save'],
    ['save', ''],
    ['loglevel', 'verbose'],
  ])
  t.same(options('--save', '--loglevel', 'verbose'), [['save'], ['loglevel', 'verbose']])
  t.same(options('--replicaof', '--127.0.0.1', 'abc'), [['replicaof', '--127.0.0.1', 'abc']])
})

t.test('name and value may share an argument', async t => {
  t.same(options("--maxmemory '700mb'", '--proc-title-template --my--title'), [
    ['maxmemory', '700mb'],
    ['proc-title-template', '--my--title'],
  ])
})

t.test('a file comes first, standard input next, options win by coming last', async t => {
  const path = join(tempDir(t), 'x.conf')
  writeFileSync(path, 'port 1\n')
  const line = readCommandLine([path, '--port', '3', '-'], () => 'port 2\n')
  t.equal(line.file, path)
  t.same(
    line.directives.map(({ words, where }) => [words[0], where]),
    [
      ['1', `line 1 of ${path}`],
      ['2', 'line 1 of standard input'],
      ['3', 'command line'],
    ],
  )
})

t.test('mistakes are told in one sentence', async t => {
  t.throws(() => readCommandLine(['-x']), { name: 'UsageError', message: /two dashes/ })
  t.throws(() => readCommandLine(['/nonexistent/x.conf']), {
    name: 'UsageError',
    message: "command line: cannot read the configuration file '/nonexistent/x.conf': No such file or directory",
  })
})

t.test('version and help stand alone', async t => {
  t.equal(askedFor(['-v']), 'version')
  t.equal(askedFor(['--version']), 'version')
  t.equal(askedFor(['--help']), 'help')
  t.equal(askedFor(['-h']), 'help')
  t.equal(askedFor(['--port', '1']), undefined)
  t.match(USAGE, /--port 7300/)
})

// Style as a test: sizes, ranks, cycles, banned calls, head comments, document titles, stale generated documents.

import t from 'tap'
import { commandsDocument } from '../scripts/documents/commands.js'
import { configurationDocument } from '../scripts/documents/configuration.js'
import { cyclesIn, filesIn, importsOf, longFunctions, runtimeImportsOf, textOf } from './support/sources.js'

const LINES_MAX = 500
const FUNCTION_LINES_MAX = 70
const COLUMNS_MAX = 120

const source = filesIn('src', ['.ts'])
const code = [
  ...source,
  ...filesIn('test', ['.ts', '.mjs']),
  ...filesIn('bench', ['.ts', '.mjs']),
  ...filesIn('examples', ['.ts', '.mjs']),
  ...filesIn('scripts', ['.ts', '.mjs']),
  ...filesIn('native', ['.cc', '.h']),
]
const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesIn('docs', ['.md'])]

/** What each folder of src may import beside itself: only what lies below it. */
const MAY: Record<string, readonly string[]> = {
  base: [],
  native: ['base'],
  resp: ['base', 'native'],
  store: ['base', 'native', 'resp'],
  pages: ['base', 'native', 'store'],
  types: ['base', 'native', 'store', 'pages'],
  commands: ['base', 'resp', 'types'],
  exec: ['base', 'native', 'resp', 'store', 'pages', 'types', 'commands'],
  net: ['base', 'native', 'resp', 'store', 'pages', 'types', 'commands', 'exec'],
  admin: ['base', 'native', 'resp', 'store', 'pages', 'types', 'commands', 'exec'],
  // The layers are clients: they know ioredis and nothing of the engine.
  client: ['base'],
  mailbox: ['base', 'client'],
  queue: ['base', 'client'],
  worker: ['base', 'client'],
}
const ROOT_RANK = ['server.ts', 'index.ts', 'tools.ts', 'main.ts']

const folderOf = (path: string) => path.split('/')[1]

t.test('no file is longer than the ceiling, no line wider', async t => {
  for (const path of code) {
    const lines = textOf(path).split('\n')
    t.ok(lines.length - 1 <= LINES_MAX, `${path}: ${lines.length - 1} lines`)
    const wide = lines.findIndex(line => line.length > COLUMNS_MAX)
    t.equal(wide, -1, `${path}:${wide + 1} fits ${COLUMNS_MAX} columns`)
  }
})

t.test('no function is longer than the ceiling', async t => {
  t.same(
    source.flatMap(path => longFunctions(path, FUNCTION_LINES_MAX)),
    [],
  )
})

t.test('imports go down only', async t => {
  for (const path of source) {
    const from = folderOf(path)
    for (const file of importsOf(path).files) {
      const to = folderOf(file)
      const fine = ROOT_RANK.includes(from)
        ? !ROOT_RANK.includes(to) || ROOT_RANK.indexOf(to) <= ROOT_RANK.indexOf(from)
        : from === to || MAY[from]?.includes(to)
      t.ok(fine, `${path} may import ${file}`)
    }
  }
})

t.test('no import cycle', async t => {
  t.same(cyclesIn(source, runtimeImportsOf), [])
})

t.test('every source file is imported by another or is an entry', async t => {
  const entries = new Set(['src/main.ts', 'src/index.ts'])
  const imported = new Set([...source, ...filesIn('test', ['.ts'])].flatMap(path => importsOf(path).files))
  const byUrl = source.map(textOf).join('\n')
  for (const path of source) {
    const name = path.slice(path.lastIndexOf('/') + 1, -3)
    t.ok(entries.has(path) || imported.has(path) || byUrl.includes(`./${name}.`), `${path} is used`)
  }
})

t.test('every source file opens with its job', async t => {
  for (const path of source) t.match(textOf(path), /^(#!.*\n)?(\/\/|\/\*)/, path)
})

const BANNED: readonly { pattern: RegExp; why: string; allowed: RegExp }[] = [
  { pattern: /\bDate\.now\(|\bnew Date\(\)/, why: 'time is handed in', allowed: /^src\/(base\/clock|main)\.ts$/ },
  { pattern: /\bMath\.random\(/, why: 'randomness is handed in', allowed: /^src\/(base\/clock|main)\.ts$/ },
  { pattern: /\bconsole\.|process\.stdout/, why: 'the log is handed in', allowed: /^src\/(main|base\/log)\.ts$/ },
  { pattern: /\bexport default\b/, why: 'named exports only', allowed: /^$/ },
  { pattern: /\bas any\b|: any\b|<any>/, why: 'a type says more', allowed: /^$/ },
  { pattern: /@ts-ignore|@ts-nocheck|eslint-disable|oxlint-disable/, why: 'no silencing', allowed: /^$/ },
  { pattern: /\bTODO\b|\bFIXME\b|\bXXX\b/, why: 'an issue says it', allowed: /^$/ },
]

t.test('nothing banned stands in the sources', async t => {
  for (const path of source) {
    const lines = textOf(path).split('\n')
    for (const { pattern, why, allowed } of BANNED) {
      const at = allowed.test(path) ? -1 : lines.findIndex(line => pattern.test(line))
      t.equal(at, -1, `${path}:${at + 1} ${why}`)
    }
  }
})

t.test('no test is switched off', async t => {
  for (const path of filesIn('test', ['.test.ts'])) {
    t.notMatch(textOf(path), /\.(skip|only|todo)\(|\b(skip|only|todo): *true/, path)
  }
})

t.test('each document has one title and no path of a machine', async t => {
  for (const path of documents) {
    const text = textOf(path).replace(/```[\s\S]*?```/g, '')
    t.equal(text.split('\n').filter(line => line.startsWith('# ')).length, 1, `${path} has one title`)
    t.notMatch(text, /\/work\/|\/root\/|\/home\//, path)
  }
})

t.test('generated documents are what the sources say; npm run docs writes them anew', async t => {
  t.equal(textOf('docs/commands.md'), commandsDocument())
  t.equal(textOf('docs/configuration.md'), configurationDocument())
})

/** Source files without a test of their own, by the reason. */
const UNTESTED: Readonly<Record<string, readonly string[]>> = {
  'types and interfaces only: there is nothing to run': [
    'base/tool.ts',
    'commands/context.ts',
    'commands/scripts.ts',
    'commands/server.ts',
    'exec/executor-parts.ts',
    'exec/transport.ts',
    'mailbox/shard-registry.ts',
    'queue/queue-backend.ts',
    'worker/authority.ts',
    'worker/worker-events.ts',
    'resp/reply.ts',
    'store/effects.ts',
    'store/rows.ts',
    'types/hashed/fields.ts',
    'types/key-value.ts',
    'types/list/list-contents.ts',
    'types/rdb/value-codec.ts',
    'types/stream/stream-api.ts',
    'types/stream/group-stream.ts',
    'types/stream/trim.ts',
    'types/zset/scored-members.ts',
  ],
  'a list: the table of commands, or the keyspace, checks itself at each start': [
    'commands/all-commands.ts',
    'commands/hash-commands.ts',
    'commands/key-commands.ts',
    'commands/list-commands.ts',
    'commands/set-commands.ts',
    'commands/string-commands.ts',
    'commands/zset-commands.ts',
    'types/types.ts',
  ],
  'words: whoever says them is tested to the byte': [
    'base/config-inert.ts',
    'base/stream-errors.ts',
    'types/rdb/own-content.ts',
    'types/rdb/payload-error.ts',
  ],
  'proved by the tests of the one file that uses it': [
    'commands/client-kill.ts',
    'commands/client-line.ts',
    'commands/client-row.ts',
    'commands/command-info.ts',
    'commands/debug-protocol.ts',
    'commands/fields-store.ts',
    'commands/hash-store.ts',
    'commands/info-sections.ts',
    'commands/list-store.ts',
    'commands/memory-figures.ts',
    'commands/set-store.ts',
    'commands/zset-store.ts',
    'exec/no-transport.ts',
    'store/checkpoint-writer.ts',
    'types/database.ts',
    'types/hashed/fields-value.ts',
    'types/rdb/stream-node-rdb.ts',
  ],
  'proved by test/wire/script.test.ts and test/exec/script-host.test.ts, which run scripts on a whole server': [
    'commands/function.ts',
    'commands/script.ts',
    'exec/function-libraries.ts',
    'exec/script-calls.ts',
    'exec/script-session.ts',
  ],
  'proved by test/admin/store-check.test.ts, which damages rows of every kind': [
    'admin/finding-text.ts',
    'store/read-rows.ts',
    'pages/inspection.ts',
    'pages/tree-check.ts',
  ],
  'proved by test/admin/repair.test.ts, which repairs damage of every kind': [
    'admin/repair-rows.ts',
    'pages/whole-pages.ts',
    'types/stream/group-salvage.ts',
  ],
  'proved by test/admin/backup.test.ts, which copies live folders': ['admin/folder-copy.ts'],
  'proved by test/admin/stats.test.ts, which walks one': ['admin/directory-walk.ts'],
  'proved by test/admin/stream-load.test.ts, which dumps what it loads': ['admin/stream-dump.ts'],
  'proved by test/store/recovery.test.ts, which reads it, and test/fault/power-cut.test.ts': ['store/sync-mark.ts'],
  'proved by test/admin/check.test.ts, which runs it on whole, damaged and live folders': ['admin/folder-check.ts'],
  'proved by the contract of the worker (test/worker/contract.ts), which runs on both servers and both records': [
    'worker/dead-letters.ts',
    'worker/group-figures.ts',
    'worker/index.ts',
    'worker/job-runner.ts',
    'worker/memory-authority.ts',
    'worker/redis-authority.ts',
    'worker/stream-group.ts',
    'worker/worker-metrics.ts',
    'worker/worker-scripts.ts',
  ],
  'proved by the contract of queue backends (test/queue/contract.ts), which runs on all of them': [
    'queue/delivery.ts',
    'queue/distribution.ts',
    'queue/index.ts',
    'queue/memory-queue.ts',
    'queue/queue-metrics.ts',
    'queue/queue.ts',
    'queue/storage.ts',
    'queue/wake-channels.ts',
  ],
  'proved by the contract of mailboxes (test/mailbox/contract.test.ts), which runs on all backends': [
    'mailbox/mailbox-backend.ts',
    'mailbox/mailbox-scripts.ts',
    'mailbox/mailbox-store.ts',
    'mailbox/memory-registry.ts',
    'mailbox/memory-shards.ts',
    'mailbox/memory-store.ts',
    'mailbox/memory-watermarks.ts',
    'mailbox/redis-store.ts',
    'mailbox/redis-watermarks.ts',
    'mailbox/script-store.ts',
  ],
  'proved by test/mailbox/dispatch-log.test.ts, the contract of dispatch logs': [
    'mailbox/memory-dispatch-log.ts',
    'mailbox/stream-dispatch-log.ts',
  ],
  'proved by test/exec/transactions.test.ts, which runs its rows': ['commands/transaction.ts'],
}

t.test('every source file has a test of its own, or stands in the list above with its reason', async t => {
  const tests = new Set(filesIn('test', ['.test.ts']))
  const listed = new Set(Object.values(UNTESTED).flatMap(paths => paths.map(path => `src/${path}`)))
  const hasTest = (path: string) => tests.has(path.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts'))
  t.same(
    source.filter(path => !hasTest(path) && !listed.has(path)),
    [],
  )
  t.same(
    [...listed].filter(path => hasTest(path) || !source.includes(path)),
    [],
    'nobody stands in the list who need not',
  )
})

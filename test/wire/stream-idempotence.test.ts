// Idempotent XADD as Redis 8.6 tests it, beside test/commands/stream-idempotence: what a client sees of it on a server,
// whatever stands in the IDs, and the bounds of its settings.

import { Redis } from 'ioredis'
import t from 'tap'
import { startServer } from '../support/start-server.js'

const server = await startServer()
const redis = connect()
t.teardown(async () => {
  redis.disconnect()
  await server.stop()
})

function connect(): Redis {
  return new Redis({ port: server.port, host: '127.0.0.1', protocol: 2 })
}

type Word = string | number | Buffer

const call = (...words: Word[]): Promise<unknown> => redis.call(String(words[0]), ...words.slice(1))
const run = (line: string): Promise<unknown> => call(...line.split(' '))
const refusal = (line: string): Promise<string> =>
  run(line).then(
    reply => `no error but ${JSON.stringify(reply)}`,
    (error: Error) => error.message,
  )

async function figures(form = ''): Promise<Record<string, unknown>> {
  const words = (await run(`XINFO STREAM s${form}`)) as unknown[]
  return Object.fromEntries(Array.from({ length: words.length / 2 }, (_, i) => [words[2 * i], words[2 * i + 1]]))
}

t.test('an idempotent ID may be anything but empty, also a word of XADD, and is told apart from any other', async t => {
  await run('FLUSHALL')
  const words: Word[] = ['1', 'A', '-', '+', '*', '^', '$', '#', '@', '?', '\\', '~', '=', 'IDMP', 'MAXLEN', '123-456']
  words.push(
    '9999999999999-9999999999999',
    'hello世界',
    'line1\nline2',
    'tab\there',
    'a"b',
    'with spaces',
    'x'.repeat(1000),
  )
  words.push('path/to/file', 'key:value', Buffer.from([0, 1, 2, 255]), Buffer.alloc(65_536, 'x'))
  const ids: unknown[] = []
  for (const word of words) ids.push(await call('XADD', 's', 'IDMP', 'p', word, '*', 'f', 'v'))
  t.equal(new Set(ids).size, words.length)
  for (const [i, word] of words.entries()) t.equal(await call('XADD', 's', 'IDMP', 'p', word, '*', 'f', 'w'), ids[i])
  t.equal(await run('XLEN s'), words.length)
})

t.test('a repeat keeps the first fields, whoever sends it and with whatever options', async t => {
  await run('FLUSHALL')
  const id = await run('XADD s IDMP p pay KEEPREF MAXLEN ~ 1000 LIMIT 10 * amount 100 currency USD')
  const others = [connect(), connect()]
  t.teardown(() => others.forEach(other => other.disconnect()))
  for (const other of others) t.equal(await other.call('XADD', 's', 'IDMP', 'p', 'pay', '*', 'amount', '200'), id)
  for (const options of ['MINID ~ 9-0 IDMP p pay', 'NOMKSTREAM IDMP p pay ACKED', 'DELREF MAXLEN = 5 IDMP p pay']) {
    t.equal(await run(`XADD s ${options} * amount 300`), id, options)
  }
  t.same(await run('XRANGE s - +'), [[id, ['amount', '100', 'currency', 'USD']]])
  await run('XGROUP CREATE s g 0')
  await run('XREADGROUP GROUP g c STREAMS s >')
  t.equal(await run(`XACKDEL s g IDS 1 ${String(id)}`).then(String), '1')
  t.equal(await run('XADD s IDMP p pay * amount 400'), id, 'acknowledged and deleted, it is known')
  t.equal(await run('XLEN s'), 0)
})

t.test('fifty producers with the same ID, each with a window of its own', async t => {
  await run('FLUSHALL')
  await run('XADD s IDMP p0 init * f v')
  await run('XCFGSET s IDMP-MAXSIZE 3 IDMP-DURATION 60')
  const ids = new Map<string, unknown>()
  for (let p = 0; p < 50; p++) {
    for (const id of ['r1', 'r2', 'r3', 'r4']) ids.set(`${p} ${id}`, await run(`XADD s IDMP producer-${p} ${id} * f v`))
  }
  t.match(await figures(), { 'pids-tracked': 50, 'iids-tracked': 150, 'iids-added': 201, length: 201 })
  for (let p = 0; p < 50; p++) t.equal(await run(`XADD s IDMP producer-${p} r3 * f v`), ids.get(`${p} r3`))
  t.not(await run('XADD s IDMP producer-7 r1 * f v'), ids.get('7 r1'), 'the oldest of four is forgotten')
  t.match(await figures(' FULL'), { 'iids-tracked': 150, 'iids-added': 202, 'iids-duplicates': 50 })
})

t.test('a window of eight goes round', async t => {
  await run('FLUSHALL')
  await run('XADD s IDMP p init * f v')
  await run('XCFGSET s IDMP-MAXSIZE 8 IDMP-DURATION 60')
  const ids: unknown[] = []
  for (let i = 0; i < 100; i++) ids.push(await run(`XADD s IDMP p r${i} * f v`))
  for (let i = 92; i < 100; i++) t.equal(await run(`XADD s IDMP p r${i} * f v`), ids[i])
  for (let i = 0; i < 92; i++) if ((await run(`XADD s IDMP p r${i} * f v`)) === ids[i]) t.fail(`r${i} is forgotten`)
  t.equal(await run('XLEN s'), 193)
})

t.test('XCFGSET: one or both, again the same, and what it refuses changes nothing', async t => {
  await run('FLUSHALL')
  const id = await run('XADD s IDMP p r * f v')
  for (const same of ['IDMP-DURATION 100', 'IDMP-MAXSIZE 100', 'IDMP-DURATION 100 IDMP-MAXSIZE 100']) {
    t.equal(await run(`XCFGSET s ${same}`), 'OK')
    t.equal(await run('XADD s IDMP p r * f v'), id)
  }
  for (const [words, error] of [
    ['IDMP-DURATION 0', /IDMP-DURATION must be between 1 and 86400 seconds/],
    ['IDMP-DURATION 86401', /IDMP-DURATION must be between/],
    ['IDMP-MAXSIZE -50', /IDMP-MAXSIZE must be between 1 and 10000 entries/],
    ['IDMP-MAXSIZE 10001', /IDMP-MAXSIZE must be between/],
    ['IDMP-DURATION 000000000', /not an integer/],
    ['IDMP-DURATION 3.14', /not an integer/],
    ['IDMP-DURATION IDMP-DURATION IDMP-DURATION', /not an integer/],
    ['IDMP-MAXSIZE INVALID IDMP-DURATION', /not an integer/],
    ['IDMP-DURATION', /syntax/],
    ['INVALID', /syntax/],
  ] as const) {
    t.match(await refusal(`XCFGSET s ${words}`), error, words)
  }
  t.match(await refusal('XCFGSET s'), /At least one parameter/)
  t.match(await refusal('XCFGSET none IDMP-DURATION 5'), /no such key/)
  t.match(await figures(), { 'idmp-duration': 100, 'idmp-maxsize': 100, 'iids-tracked': 1, 'iids-duplicates': 3 })
  await run('XCFGSET s IDMP-DURATION 86400 IDMP-MAXSIZE 10000')
  t.match(await figures(' FULL'), {
    'idmp-duration': 86400,
    'idmp-maxsize': 10000,
    'pids-tracked': 0,
    'iids-tracked': 0,
    'iids-added': 1,
    'iids-duplicates': 3,
  })
  t.not(await run('XADD s IDMP p r * f v'), id)
})

t.test('the defaults have the bounds of XCFGSET, and count for streams to come', async t => {
  await run('FLUSHALL')
  for (const [name, max] of [
    ['duration', 86_400],
    ['maxsize', 10_000],
  ] as const) {
    for (const value of [0, -1, -100, max + 1]) {
      t.match(await refusal(`CONFIG SET stream-idmp-${name} ${value}`), /must be between/, `${name} ${value}`)
    }
    for (const value of [max, 1, 100]) t.equal(await run(`CONFIG SET stream-idmp-${name} ${value}`), 'OK')
  }
  await run('CONFIG SET stream-idmp-maxsize 2')
  await run('XADD s IDMP p r * f v')
  t.match(await figures(), { 'idmp-duration': 100, 'idmp-maxsize': 2 })
  await run('CONFIG SET stream-idmp-maxsize 100')
})

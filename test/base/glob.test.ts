import t from 'tap'
import { globMatch, isLiteral } from '../../src/base/glob.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'

t.test('literals, stars, question marks, classes and escapes match as in Redis', async t => {
  const rows: [pattern: string, text: string, expected: boolean][] = [
    ['abc', 'abc', true],
    ['abc', 'abcd', false],
    ['a*c', 'abbc', true],
    ['a*c*', 'acbd', true],
    ['*', 'x', true],
    ['*', '', false],
    ['', '', true],
    ['a?c', 'abc', true],
    ['a?', 'a', false],
    ['[a-c]x', 'bx', true],
    ['[c-a]x', 'bx', true],
    ['[^a-c]x', 'bx', false],
    ['[^', 'z', true],
    ['[', 'z', false],
    ['[ab', 'b', true],
    ['[a-', '-', true],
    ['[\\]]', ']', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['a\\', 'a\\', true],
    ['[a-\xff]', 'b', false],
    ['[\x80-\xff]', '\xe9', true],
  ]
  for (const [pattern, text, expected] of rows) t.equal(globMatch(pattern, text), expected, `${pattern} on '${text}'`)
})

t.test('ignoring case folds ASCII letters', async t => {
  t.ok(globMatch('MaX*[X-Z]', 'maxmemorY', true))
  t.notOk(globMatch('MaX*', 'maxmemory'))
  t.notOk(globMatch('\xc9', '\xe9', true))
})

t.test('many stars cost no more than the product of the lengths', async t => {
  t.notOk(globMatch('*a'.repeat(1_000) + 'b', 'a'.repeat(20_000)))
  t.ok(globMatch('*a'.repeat(1_000), 'a'.repeat(20_000)))
})

t.test('random patterns match as in redis-server', { skip: findRedisServer() === undefined }, async t => {
  const server = await startRedisServer()
  t.teardown(() => server.stop())
  const client = await RespClient.connect(server.port)
  t.teardown(() => client.close())
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const word = (letters: readonly string[], max: number): string =>
    Array.from({ length: rng.between(1, max) }, () => rng.pick(letters)).join('')
  for (let i = 0; i < 1_500; i++) {
    const text = word(['a', 'b', 'c', '-', ']', '\\', '*', '\xe9'], 6)
    const pattern = word(['a', 'b', 'c', 'A', '*', '?', '[', ']', '^', '-', '\\', '\xe9'], 8)
    client.send(
      Buffer.concat([encodeCommand(['SET', text, '1']), encodeCommand(['KEYS', pattern]), encodeCommand(['FLUSHALL'])]),
    )
    await client.reply()
    const found = (await client.reply()).toString('latin1') !== '*0\r\n'
    await client.reply()
    if (globMatch(pattern, text) !== found) t.fail(`'${pattern}' on '${text}': redis-server says ${found}`)
  }
})

t.test('a literal pattern is told from one with special characters', async t => {
  t.ok(isLiteral('maxmemory'))
  for (const pattern of ['a*', 'a?', '[a]', 'a\\b']) t.notOk(isLiteral(pattern), pattern)
})

t.test('a pattern of more than a thousand stars matches nothing, as in redis-server', async t => {
  const text = 'a'.repeat(5000)
  t.ok(globMatch('*?'.repeat(1000) + 'a*', text))
  t.notOk(globMatch('*?'.repeat(1001) + 'a*', text))
  t.ok(globMatch('*?'.repeat(1000) + '*', text), 'one that takes all the rest is not looked into')
})

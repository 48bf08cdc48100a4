import t from 'tap'
import { globMatch, isLiteral } from '../../src/base/glob.js'

const CASES: readonly [string, string, boolean][] = [
  ['*', '', true],
  ['**', 'abc', true],
  ['', '', true],
  ['', 'a', false],
  ['a*c', 'abbbc', true],
  ['a*c', 'abbbd', false],
  ['*a*b*', 'xxaxxbxx', true],
  ['?', '', false],
  ['h?llo', 'hello', true],
  ['h[ae]llo', 'hillo', false],
  ['h[^e]llo', 'hallo', true],
  ['h[^e]llo', 'hello', false],
  ['h[a-c]', 'hb', true],
  ['h[c-a]', 'hb', true],
  ['[\\]]', ']', true],
  ['a\\*', 'a*', true],
  ['a\\*', 'ab', false],
  ['a\\', 'a\\', true],
  ['[ab', 'a', true],
  ['[a-', '-', true],
  ['\u00ff*', '\u00ff\u0000', true],
]

t.test('patterns match as in Redis', async t => {
  for (const [pattern, text, match] of CASES) t.equal(globMatch(pattern, text), match, `${pattern} over ${text}`)
})

t.test('case can be ignored', async t => {
  t.ok(globMatch('Max[M]*', 'maxmemory', true))
  t.notOk(globMatch('Max*', 'maxmemory'))
})

t.test('many stars over a long text end soon', async t => {
  t.notOk(globMatch('a*'.repeat(40) + 'b', 'a'.repeat(5_000)))
})

t.test('a literal pattern is told from one with wildcards', async t => {
  t.ok(isLiteral('maxmemory'))
  for (const pattern of ['a*', 'a?', '[a]', 'a\\b']) t.notOk(isLiteral(pattern))
})

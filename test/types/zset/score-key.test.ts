import t from 'tap'
import { keyAboveScore, memberIn, scoreIn, scoreKey } from '../../../src/types/zset/score-key.js'
import { seeded } from '../../support/seeded.js'

const SCORES = [
  -Infinity,
  -Number.MAX_VALUE,
  -1e18,
  -2,
  -1.0000000000000002,
  -1,
  -Number.MIN_VALUE,
  0,
  Number.MIN_VALUE,
  2.2250738585072014e-308,
  0.1,
  0.10000000000000002,
  1,
  2 ** 53,
  Number.MAX_VALUE,
  Infinity,
]

t.test('the order of keys is that of scores, then of members', async t => {
  for (const [i, a] of SCORES.entries()) {
    t.equal(scoreIn(scoreKey(a, 'x')), a)
    t.equal(memberIn(scoreKey(a, 'x\0ÿ')), 'x\0ÿ')
    for (const [k, b] of SCORES.entries()) {
      t.equal(Buffer.compare(scoreKey(a, 'm'), scoreKey(b, 'm')), Math.sign(i - k), `${a} and ${b}`)
    }
    t.ok(Buffer.compare(scoreKey(a, 'a'), scoreKey(a, 'b')) < 0)
    t.ok(Buffer.compare(scoreKey(a), scoreKey(a, '\0')) < 0)
  }
})

t.test('what lies above a score lies below the next', async t => {
  for (const [i, score] of SCORES.entries()) {
    const above = keyAboveScore(score)
    t.ok(Buffer.compare(scoreKey(score, '\xff'.repeat(20)), above) < 0, `${score}`)
    if (i + 1 < SCORES.length) t.ok(Buffer.compare(above, scoreKey(SCORES[i + 1])) <= 0, `${score}`)
  }
  t.same(keyAboveScore(1), Buffer.from('bff0000000000001', 'hex'))
  t.same(keyAboveScore(-Number.MIN_VALUE), Buffer.from('7fffffffffffffff', 'hex'))
})

t.test('minus zero lies where zero does', async t => {
  t.same(scoreKey(-0, 'm'), scoreKey(0, 'm'))
  t.same(keyAboveScore(-0), keyAboveScore(0))
})

t.test('random doubles keep their order', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  for (let i = 0; i < 2000; i++) {
    const [a, b] = [rng.bytes(8).readDoubleBE(), rng.bytes(8).readDoubleBE()]
    if (a !== a || b !== b) continue
    t.equal(Buffer.compare(scoreKey(a), scoreKey(b)), Math.sign(a < b ? -1 : a > b ? 1 : 0), `${a} and ${b}`)
    t.equal(scoreIn(scoreKey(a)), a)
  }
})

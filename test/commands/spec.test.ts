import t from 'tap'
import { Flag, keysAt } from '../../src/commands/spec.js'

t.test('every flag is a bit of its own', async t => {
  const bits = Object.values(Flag)
  t.ok(bits.every(bit => bit > 0 && (bit & (bit - 1)) === 0))
  t.equal(new Set(bits).size, bits.length)
})

t.test(
  'key positions are told as COMMAND INFO tells them: the last one counts from the first, or from the end',
  async t => {
    const flags = ['RO', 'access']
    t.same(keysAt(flags, 1), [{ flags, begin: { index: 1 }, find: { lastKey: 0, step: 1, limit: 0 } }])
    t.match(keysAt(flags, 2, 3), [{ begin: { index: 2 }, find: { lastKey: 1 } }])
    t.match(keysAt(flags, 1, -1, 2), [{ begin: { index: 1 }, find: { lastKey: -1, step: 2 } }])
  },
)

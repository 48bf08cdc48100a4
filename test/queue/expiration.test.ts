import t from 'tap'
import { checkPolicy, policyFrom, policyText } from '../../src/queue/expiration.js'

t.test('policies go to text and back', async t => {
  for (const policy of [{ kind: 'never' }, { kind: 'after', seconds: 3 }, { kind: 'last', count: 9 }] as const) {
    t.same(policyFrom(policyText(policy)), policy)
  }
})

t.test('what means nothing is refused in words', async t => {
  t.throws(() => checkPolicy({ kind: 'after', seconds: -1 }), { name: 'UsageError', message: /seconds above 0/ })
  t.throws(() => checkPolicy({ kind: 'last', count: -1 }), { message: /whole N/ })
  t.throws(() => policyFrom('{'), { message: /is not JSON/ })
  t.throws(() => policyFrom('{"kind":"soon"}'), { message: /'never', 'after' or 'last'/ })
})

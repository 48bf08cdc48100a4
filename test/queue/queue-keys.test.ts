import t from 'tap'
import { checkName, queueKeys, storageKeys } from '../../src/queue/queue-keys.js'

t.test('all keys and channels of a storage lie in its slot', async t => {
  for (const key of [...Object.values(storageKeys('s')), ...Object.values(queueKeys('s', 'q'))]) {
    t.match(key, /^\{mq:s\}:/)
  }
})

t.test('names that would break a key are refused', async t => {
  for (const name of ['', 'a b', 'a:b', '{a', 'a}', 'x'.repeat(257)]) {
    t.throws(() => checkName('queue', name), { name: 'UsageError' }, name.slice(0, 10))
  }
  t.equal(checkName('queue', 'Grüße-1.b'), 'Grüße-1.b')
})

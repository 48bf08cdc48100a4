// Names of keys: one slot per shard, users of any name.

import t from 'tap'
import { MailboxKeys } from '../../src/mailbox/mailbox-keys.js'

t.test('names as they are stored', async t => {
  const keys = new MailboxKeys('app:')
  t.equal(keys.watermarks(7), 'app:wm:{7}')
  t.equal(keys.meta(7, 3, 'u{x}'), 'app:mbmeta:{7}:3:u{x}')
  t.equal(keys.days(7, 3, 'u'), 'app:mbdays:{7}:3:u')
  t.equal(keys.index(7, 3, 'u'), 'app:mbseqbucket:{7}:3:u')
  t.equal(keys.bucket(7, 3, 20_000, 'u'), 'app:mbday:{7}:3:20000:u')
  t.equal(keys.bucketParts(7, 3, 'u').join('20000'), keys.bucket(7, 3, 20_000, 'u'))
  t.equal(keys.stream(7, 3, 'u'), 'app:mbstream:{7}:3:u')
  t.equal(new MailboxKeys().watermarks(0), 'wm:{0}')
})

t.test('all keys of a shard carry its hash tag, and no two are the same', async t => {
  const keys = new MailboxKeys()
  const names = [
    keys.watermarks(7),
    keys.registry(7),
    keys.boundaries(7),
    keys.splits(7),
    keys.dispatches(7),
    keys.earlierDispatches(7),
    keys.meta(7, 1, 'u'),
    keys.days(7, 1, 'u'),
    keys.index(7, 1, 'u'),
    keys.bucket(7, 1, 2, 'u'),
    keys.stream(7, 1, 'u'),
  ]
  t.equal(new Set(names).size, names.length)
  for (const name of names) t.equal(/\{(.*?)\}/.exec(name)?.[1], '7')
})

t.test('a shard is a whole number of 32 bits', async t => {
  for (const shard of [-1, 0.5, 2 ** 32, Number.NaN]) {
    t.throws(() => new MailboxKeys().watermarks(shard), { code: 'MALFORMED' })
  }
})

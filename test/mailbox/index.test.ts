// The public face, as a stranger imports it: by the package's name, from the built files.

import t from 'tap'
import * as face from '../../src/mailbox/index.js'

t.test('millrace/mailbox is the built face, and has what the document names', async t => {
  const built = (await import('millrace/mailbox' as string)) as typeof face
  t.same(Object.keys(built).sort(), Object.keys(face).sort())
  for (const name of [
    'memoryMailbox',
    'redisMailbox',
    'streamsMailbox',
    'Materializer',
    'MailboxReader',
    'CursorSigner',
  ])
    t.type(Reflect.get(built, name), 'function', name)
  const mailbox = built.memoryMailbox({ clock: built.systemClock, retentionS: 86_400 })
  t.match(await mailbox.registry.takeOver(1, 'me'), { epoch: 1 })
})

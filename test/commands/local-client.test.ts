import t from 'tap'
import { isLocal } from '../../src/commands/local-client.js'
import type { Session } from '../../src/commands/server.js'

t.test('loopback addresses and Unix sockets are local, all others are not', async t => {
  const local = (address: string) => isLocal({ address } as Session)
  for (const address of ['127.0.0.1:5', '127.8.8.8:5', '[::1]:5', '[::ffff:127.0.0.1]:5', '/run/millrace.sock:0']) {
    t.equal(local(address), true, address)
  }
  for (const address of ['10.0.0.1:5', '128.0.0.1:5', '[::2]:5', '[::ffff:10.0.0.1]:5', '1.127.0.1:5', '']) {
    t.equal(local(address), false, address)
  }
})

import t from 'tap'
import { ClientReply } from '../../src/exec/client-reply.js'

t.test('an error is written and counted; nothing else is counted', async t => {
  const counted: string[] = []
  const reply = new ClientReply({ countError: text => void counted.push(text) })
  reply.ok()
  reply.error('ERR no')
  reply.nullBulk()
  t.same(counted, ['ERR no'])
  t.equal(Buffer.concat(reply.take()).toString(), '+OK\r\n-ERR no\r\n$-1\r\n')
})

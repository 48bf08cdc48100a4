import t from 'tap'
import { SinkReply } from '../../src/exec/sink-reply.js'

t.test('of everything written only the first error is remembered', async t => {
  const reply = new SinkReply()
  reply.ok()
  reply.endArray()
  t.equal(reply.failure, undefined)
  reply.error('ERR first')
  reply.error('ERR second')
  t.equal(reply.failure, 'ERR first')
  reply.truncate()
  t.equal(reply.failure, 'ERR first', 'also when the command takes its reply back')
  reply.clear()
  t.equal(reply.failure, undefined)
})

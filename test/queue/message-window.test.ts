import t from 'tap'
import { MessageWindow } from '../../src/queue/message-window.js'

const message = (uid: number, bytes = 1) => ({ uid, publishedUs: uid, body: Buffer.alloc(bytes) })

t.test('it gives what follows without a gap', async t => {
  const window = new MessageWindow()
  for (const uid of [3, 4, 6, 5, 9]) window.add(message(uid))
  const uids = (after: number, limit: number) => window.after(after, limit).map(({ uid }) => uid)
  t.same(uids(2, 10), [3, 4, 5, 6])
  t.same(uids(3, 2), [4, 5])
  t.same(uids(1, 10), [])
  window.forgetThrough(4)
  t.same(uids(2, 10), [])
  t.same(uids(8, 10), [9])
})

t.test('it is bounded in messages and in bytes', async t => {
  const many = new MessageWindow()
  for (let uid = 1; uid <= 10_000; uid++) many.add(message(uid))
  t.same(many.after(0, 1), [], 'the oldest went')
  t.equal(many.after(9_000, 2_000).length, 1_000)
  const large = new MessageWindow()
  for (let uid = 1; uid <= 3; uid++) large.add(message(uid, 7_000_000))
  t.same(large.after(0, 5), [])
  t.equal(large.after(1, 5).length, 2)
})

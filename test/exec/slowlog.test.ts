import t from 'tap'
import { SlowlogList } from '../../src/exec/slowlog.js'
import { requestOf } from '../../src/resp/request.js'

const client = { address: '127.0.0.1:5', name: 'me' }

t.test('the newest stands first, ids go on, and the length is bounded', async t => {
  const slowlog = new SlowlogList()
  slowlog.lengthMax = 2
  for (const us of [1000.9, 2000, 3000]) slowlog.add(requestOf(['GET', us]), us, 5999, client)
  t.same(
    slowlog.entries.map(({ id, durationUs }) => [id, durationUs]),
    [
      [2, 3000],
      [1, 2000],
    ],
  )
  t.match(slowlog.entries[0], { timeS: 5, address: '127.0.0.1:5', name: 'me' })
  slowlog.lengthMax = 1
  t.equal(slowlog.entries.length, 1)
  slowlog.reset()
  t.same(slowlog.entries, [])
  slowlog.add(requestOf(['GET', 'k']), 1, 0, client)
  t.equal(slowlog.entries[0].id, 3)
})

t.test('long arguments and many arguments are shortened', async t => {
  const slowlog = new SlowlogList()
  slowlog.add(requestOf(['SET', 'k', 'x'.repeat(129), 'y'.repeat(128)]), 1, 0, client)
  t.same(slowlog.entries[0].args.map(String), ['SET', 'k', `${'x'.repeat(128)}... (1 more bytes)`, 'y'.repeat(128)])
  slowlog.add(requestOf(Array.from({ length: 33 }, (_, i) => i)), 1, 0, client)
  const { args } = slowlog.entries[0]
  t.equal(args.length, 32)
  t.equal(String(args[30]), '30')
  t.equal(String(args[31]), '... (2 more arguments)')
})

t.test('an entry does not hold on to the connection’s buffer', async t => {
  const slowlog = new SlowlogList()
  const request = requestOf(['GET', 'key'])
  slowlog.add(request, 1, 0, client)
  request.buffer.fill(0)
  t.equal(String(slowlog.entries[0].args[1]), 'key')
})

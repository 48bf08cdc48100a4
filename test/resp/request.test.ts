import t from 'tap'
import { decimalDigits, requestOf } from '../../src/resp/request.js'
import { encodeCommand } from '../support/resp-client.js'

t.test('a request built from arguments is a canonical command', async t => {
  const request = requestOf(['XADD', 12, 5n, Buffer.from([255]), ''])
  const canonical = encodeCommand(['XADD', '12', '5', '\xff', ''])
  t.ok(request.buffer.subarray(request.from, request.to).equals(canonical))
  t.equal(request.argc, 5)
  t.same(
    [0, 1, 2, 3, 4].map(i => request.text(i)),
    ['XADD', '12', '5', '\xff', ''],
  )
  t.equal(request.buffer.toString('latin1', request.headerOf(3), request.starts[3]), '$1\r\n')
})

t.test('words are compared in any case and whole', async t => {
  const request = requestOf(['mAxLen'])
  t.ok(request.is(0, 'MAXLEN'))
  t.notOk(request.is(0, 'MAXLE'))
  t.notOk(request.is(0, 'MINLEN'))
})

t.test('a detached request is independent of the buffer it was read from', async t => {
  const request = requestOf(['SET', 'key', 'value'])
  const copy = request.detach()
  const kept = request.copy(2)
  request.buffer.fill(0)
  t.same([copy.text(0), copy.text(1), copy.text(2)], ['SET', 'key', 'value'])
  t.equal(kept.toString(), 'value')
  t.equal(copy.headerOf(1), copy.starts[1] - 4)
})

t.test('digits are counted', async t => {
  for (const n of [0, 9, 10, 99, 100, 123456789, 2 ** 40]) t.equal(decimalDigits(n), String(n).length)
})

import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { IntegerSet } from '../../../src/types/set/integer-set.js'

t.test('integers of 64 bits keep their order and come back from their bytes', async t => {
  const set = new IntegerSet()
  for (const field of ['3', '-9223372036854775808', '9223372036854775807', '-9007199254740993', '3']) set.set(field)
  t.equal(set.count, 4)
  const bytes = set.encode()
  t.equal(bytes.toString('hex'), '8000000000000000ffdfffffffffffff00000000000000037fffffffffffffff')
  const again = IntegerSet.decode(bytes, 'a test')
  t.same(
    [0, 1, 2, 3].map(rank => again.at(rank)),
    ['-9223372036854775808', '-9007199254740993', '3', '9223372036854775807'],
  )
  t.ok(again.delete('3'))
  t.notOk(again.delete('3'))
  t.notOk(again.delete('x'))
  t.equal(again.get('3'), undefined)
  t.equal(again.get('-9007199254740993'), '')
})

t.test('damaged bytes are refused by name', async t => {
  const two = Buffer.from('00000000000000030000000000000003', 'hex')
  t.throws(() => IntegerSet.decode(two, 'the head'), new CorruptionError('the head has integers out of order'))
  t.throws(() => IntegerSet.decode(two.subarray(1), 'the head'), new CorruptionError('the head is cut off'))
})

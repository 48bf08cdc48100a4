import t from 'tap'
import { StoreObject } from '../../../src/store/row.js'
import { numberedPartKey, objectPartKey, PART, partNumberOf, partPrefix } from '../../../src/types/stream/part-key.js'

const object = new StoreObject(0x0102030405)

t.test('keys are the bytes that the format draws', async t => {
  t.equal(partPrefix(object, PART.consumer).toString('hex'), '00010203040563')
  t.equal(numberedPartKey(object, PART.producer, 0xfffefdfc).toString('hex'), '00010203040570fffefdfc')
  t.equal(objectPartKey(object, PART.group, 7).toString('hex'), '00010203040567000000000007')
  t.equal(partNumberOf(numberedPartKey(object, PART.consumer, 0xfffefdfc)), 0xfffefdfc)
})

t.test('the keys of a kind lie behind its prefix, in the order of their numbers', async t => {
  const prefix = partPrefix(object, PART.consumer)
  const keys = [1, 255, 256, 2 ** 31].map(number => numberedPartKey(object, PART.consumer, number))
  for (const [i, key] of keys.entries()) {
    t.ok(key.subarray(0, prefix.length).equals(prefix))
    if (i > 0) t.ok(keys[i - 1].compare(key) < 0)
  }
})

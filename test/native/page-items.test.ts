import t from 'tap'
import { gatherItems, placeItems } from '../../src/native/page-items.js'
import { commonKeyBytes, itemEnd, prefixAt, putItem } from '../../src/pages/item-bytes.js'

const EINVAL = -22

/** Items written one behind the other; their offsets. */
function written(items: readonly (readonly [string, string])[], room = 1000): { bytes: Buffer; offsets: number[] } {
  const bytes = Buffer.alloc(room)
  const offsets: number[] = []
  let at = 0
  for (const [key, value] of items) {
    offsets.push(at)
    at = putItem(bytes, at, Buffer.from(key), value)
  }
  return { bytes: bytes.subarray(0, at), offsets }
}

const placesOf = (offsets: readonly number[]) => new Uint32Array(offsets.flatMap(offset => [0xffffffff, offset]))

t.test('items come in the order of their places', async t => {
  const gather = gatherItems
  if (gather === undefined) return t.fail('the addon is built')
  const { bytes, offsets } = written([
    ['b', 'two'],
    ['c', ''],
    ['', 'x'.repeat(200)],
    ['a'.repeat(130), 'one'],
  ])
  const order = [3, 0, 2]
  const expected = Buffer.concat(order.map(i => bytes.subarray(offsets[i], itemEnd(bytes, offsets[i]))))
  const to = Buffer.alloc(expected.length + 7, 0xee)
  t.equal(gather(bytes, placesOf(order.map(i => offsets[i])), 3, to, 5), 5 + expected.length)
  t.same(to.subarray(5, 5 + expected.length), expected)
  t.same([...to.subarray(0, 5), ...to.subarray(-2)], Array(7).fill(0xee), 'nothing around them changes')
  t.equal(gather(bytes, placesOf([]), 0, to, 5), 5)
})

t.test('what lies outside is refused', async t => {
  const gather = gatherItems
  if (gather === undefined) return t.fail('the addon is built')
  const { bytes, offsets } = written([['key', 'value']])
  const to = Buffer.alloc(20)
  const places = placesOf(offsets)
  t.equal(gather(bytes, places, 2, to, 0), EINVAL, 'more items than places')
  t.equal(gather(bytes, places, -1, to, 0), EINVAL)
  t.equal(gather(bytes, places, 1, to, 21), EINVAL)
  t.equal(gather(bytes, places, 1, to, 11), EINVAL, 'no room')
  t.equal(gather(bytes, places, 1, to, 10), 20)
  t.equal(gather(bytes.subarray(0, 9), places, 1, to, 0), EINVAL, 'an item that is cut off')
  t.equal(gather(bytes, placesOf([bytes.length]), 1, to, 0), EINVAL)
  t.equal(gather(Buffer.alloc(9, 0xff), placesOf([0]), 1, to, 0), EINVAL, 'a length without an end')
  t.equal(gather(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0]), placesOf([0]), 1, to, 0), EINVAL)
})

t.test('places are those that the page would work out itself', async t => {
  const place = placeItems
  if (place === undefined) return t.fail('the addon is built')
  for (const keys of [
    ['a'],
    ['', 'a', 'ab'],
    ['shared 1', 'shared 2', 'shared 200', 'shared 2000 and more'],
    ['same', 'same\0', 'same\xff'],
    Array.from({ length: 100 }, (_, i) => `key ${String(i).padStart(130, '0')}`),
  ]) {
    const { bytes, offsets } = written(
      keys.map((key, i) => [key, 'v'.repeat(i % 3)] as const),
      20_000,
    )
    const places = new Uint32Array(keys.length * 2)
    const skip = commonKeyBytes(bytes, offsets[0], offsets.at(-1)!)
    t.equal(place(bytes, places, keys.length), skip)
    t.same(
      [...places],
      offsets.flatMap(offset => [prefixAt(bytes, offset, skip), offset]),
    )
  }
  t.equal(place(Buffer.alloc(0), new Uint32Array(0), 0), 0)
})

t.test('items that are cut off, too many or out of order have no places', async t => {
  const place = placeItems
  if (place === undefined) return t.fail('the addon is built')
  const { bytes } = written([
    ['a', '1'],
    ['b', '2'],
  ])
  t.equal(place(bytes, new Uint32Array(4), 2), 0)
  t.equal(place(bytes, new Uint32Array(2), 2), EINVAL, 'fewer places than items')
  t.equal(place(bytes, new Uint32Array(4), 1), EINVAL, 'bytes behind the last')
  t.equal(place(bytes, new Uint32Array(6), 3), EINVAL)
  t.equal(place(bytes.subarray(0, 7), new Uint32Array(4), 2), EINVAL)
  for (const keys of [
    ['b', 'a'],
    ['a', 'a'],
    ['ab', 'a'],
  ]) {
    t.equal(place(written(keys.map(key => [key, ''] as const)).bytes, new Uint32Array(4), 2), EINVAL, keys.join(' '))
  }
})

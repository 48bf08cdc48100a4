import t from 'tap'
import { FieldHash, fieldIn, HASH_BYTES, keyAtPlace, PLACE_END, placeOf } from '../../../src/types/hashed/field-hash.js'

const hash = new FieldHash(Buffer.from('0123456789abcdef', 'hex'))

/** Of '', 'f', 'field' and ff 00; worked out by another program. */
const FROZEN = ['1d6ef8aee85119ea', 'b08d50f6d178df8c', 'd5dcf440b3d02ebe', '0aa1aacafb9d08a9']

t.test('the function is frozen: the order on the disk depends on it', async t => {
  const key = (field: string) => hash.keyOf(field).subarray(0, HASH_BYTES).toString('hex')
  t.same([key(''), key('f'), key('field'), key('\xff\x00')], FROZEN)
  t.equal(fieldIn(hash.keyOf('\xffield')), '\xffield')
})

t.test('another seed gives another order', async t => {
  const other = new FieldHash(Buffer.from('0123456789abcdee', 'hex'))
  t.not(Buffer.from(hash.keyOf('f')).compare(other.keyOf('f')), 0)
})

t.test('the places of neighbours spread over the whole range', async t => {
  const quarters = [0, 0, 0, 0]
  const places = new Set<number>()
  for (let i = 0; i < 4000; i++) {
    const place = placeOf(hash.keyOf(`field:${i}`))
    quarters[Math.floor(place / (PLACE_END / 4))]++
    places.add(place)
  }
  t.equal(places.size, 4000)
  for (const count of quarters) t.ok(count > 800 && count < 1200, String(count))
})

t.test('the key at a place lies at its begin', async t => {
  for (let i = 0; i < 200; i++) {
    const key = hash.keyOf(`f${i}`)
    const place = placeOf(key)
    t.ok(Buffer.compare(keyAtPlace(place), key) <= 0)
    t.equal(placeOf(keyAtPlace(place)), place)
    if (place + 1 < PLACE_END) t.ok(Buffer.compare(keyAtPlace(place + 1), key) > 0)
  }
  t.equal(placeOf(keyAtPlace(PLACE_END - 1)), PLACE_END - 1)
})

import t from 'tap'
import { StreamIdList } from '../../src/base/stream-id-list.js'
import { equalIds, formatId, ID_MAX, ID_MIN, parseId, putId } from '../../src/base/stream-id.js'

const TEXTS = ['0-0', '1-2', '1700000000000-0', '5', '007-1', '18446744073709551615-18446744073709551615', ' 3-4', '-1']
const WRONG = ['', 'x', '1-', '1-x', '18446744073709551616-0', '1-2-3', '-']

t.test('IDs are parsed as parseId does', async t => {
  const list = new StreamIdList()
  for (const text of [...TEXTS, ...WRONG]) {
    const bytes = Buffer.from(`..${text}..`)
    const id = parseId(bytes, 2, bytes.length - 2)
    const before = list.count
    t.equal(list.parse(bytes, 2, bytes.length - 2), id !== undefined, `'${text}'`)
    t.equal(list.count, id === undefined ? before : before + 1)
    if (id !== undefined) t.same(formatId(list.at(before)), formatId(id))
  }
})

t.test('a list grows, compares with encoded IDs, and is used again', async t => {
  const list = new StreamIdList()
  const encoded = Buffer.alloc(16)
  for (const round of [1, 2]) {
    list.clear()
    t.equal(list.count, 0)
    for (let i = 0; i < 20_000 * round; i++) list.push({ msHi: i, msLo: 2 * i, seqHi: round, seqLo: 0xffffffff - i })
    list.push(ID_MIN)
    list.push(ID_MAX)
    t.ok(equalIds(list.at(list.count - 1), ID_MAX))
    for (const i of [0, 1, 777, 19_999, list.count - 2]) {
      putId(encoded, 0, list.at(i))
      t.ok(list.equalsAt(i, encoded, 0))
      for (const at of [3, 7, 11, 15]) {
        const other = Buffer.from(encoded)
        other[at]++
        t.notOk(list.equalsAt(i, other, 0))
      }
    }
  }
})

t.test('parsed IDs are kept while the list grows', async t => {
  const list = new StreamIdList()
  for (let i = 0; i < 5000; i++) {
    const bytes = Buffer.from(`${i + 1}-${i}`)
    list.parse(bytes, 0, bytes.length)
  }
  t.same(
    Array.from({ length: 5000 }, (_, i) => formatId(list.at(i))),
    Array.from({ length: 5000 }, (_, i) => `${i + 1}-${i}`),
  )
})

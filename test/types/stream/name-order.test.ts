import t from 'tap'
import { sortedByName } from '../../../src/types/stream/name-order.js'

t.test('names are ordered by their bytes, whatever the language says', async t => {
  const names = ['b', 'a', '\xff', 'B', '', 'a\0', '\x80', 'aa', 'é']
  const byBytes = names.toSorted((a, b) => Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')))
  const items = names.map(name => ({ name }))
  t.same(
    sortedByName(items).map(({ name }) => name),
    byBytes,
  )
  t.same(
    items.map(({ name }) => name),
    names,
    'what was given stays as it was',
  )
})

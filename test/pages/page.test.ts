import t from 'tap'
import { idOf } from '../../src/base/stream-id.js'
import { ascends, PAGE_KIND } from '../../src/pages/page.js'
import { recordCodec } from '../../src/pages/record-page.js'

t.test('kinds of pages are told apart on the disk', async t => {
  const kinds = Object.values(PAGE_KIND)
  t.equal(new Set(kinds).size, kinds.length)
})

t.test('pages follow one another by their keys; where items have none, in any way', async t => {
  const codec = recordCodec({ kind: PAGE_KIND.consumerPel, payloadBytes: 0 })
  t.equal(ascends(codec, idOf(1), idOf(2)), true)
  t.equal(ascends(codec, idOf(2), idOf(2)), false)
  t.equal(ascends(codec, idOf(3), idOf(2)), false)
  t.equal(ascends({ ...codec, keyless: true }, idOf(2), idOf(2)), true)
})

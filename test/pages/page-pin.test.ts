import t from 'tap'
import { itemCodec, ItemPage } from '../../src/pages/item-page.js'
import { PagePin } from '../../src/pages/page-pin.js'

const CODEC = itemCodec()

function pageOf(...keys: string[]): ItemPage {
  const page = CODEC.empty()
  for (const key of keys) page.set(Buffer.from(key), Buffer.from(`value of ${key}`))
  return page
}

t.test('a pin keeps the state of a page that changes in place', t => {
  const page = pageOf('a', 'b', 'c')
  const pin = new PagePin(page)
  pin.holders++
  t.equal(pin.page, page, 'as long as nobody changes it, it is the page itself')
  pin.keep(CODEC)
  page.removeRange(0, 2)
  page.set(Buffer.from('c'), Buffer.from('changed'))
  t.equal(pin.page.count, 3)
  t.equal(pin.page.valueAt(2).toString(), 'value of c')
  t.equal(page.count, 1)
  t.end()
})

t.test('nothing is copied for a pin that nobody holds', t => {
  const page = pageOf('a')
  const pin = new PagePin(page)
  pin.keep(CODEC)
  t.equal(pin.page, page)
  t.end()
})

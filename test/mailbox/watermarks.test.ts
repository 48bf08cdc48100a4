// The lowest and the highest of the lanes.

import t from 'tap'
import { highestOf, lowestOf } from '../../src/mailbox/watermarks.js'

const lane = (w: number) => ({ w, floor: 0 })

t.test('an empty lane is below everything', async t => {
  t.equal(lowestOf([lane(5), lane(3), lane(9)]), 3)
  t.equal(lowestOf([lane(5), undefined, lane(9)]), undefined)
  t.equal(lowestOf([lane(0)]), 0)
})

t.test('the highest is of the lanes that hold something', async t => {
  t.equal(highestOf([lane(5), undefined, lane(9), lane(7)]), 9)
  t.equal(highestOf([undefined, undefined]), undefined)
  t.equal(highestOf([lane(0), undefined]), 0)
})

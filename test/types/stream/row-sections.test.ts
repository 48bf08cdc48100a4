import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { checkVersion, joinSections, splitSections } from '../../../src/types/stream/row-sections.js'

const value = joinSections(Buffer.from([1, 9]), [Buffer.from('abc'), Buffer.alloc(0)])

t.test('sections come back as they went in', async t => {
  t.same(
    splitSections(value, 2, 2, 'row').map(section => section.toString()),
    ['abc', ''],
  )
  checkVersion(value, 2, 1, 'row')
})

t.test('every cut and every extra byte is refused by name', async t => {
  for (let bytes = 0; bytes < value.length; bytes++) {
    t.throws(() => splitSections(value.subarray(0, bytes), 2, 2, 'the row'), { message: /^the row/ })
  }
  t.throws(() => splitSections(Buffer.concat([value, value]), 2, 2, 'row'), CorruptionError)
  t.throws(() => checkVersion(value, 2, 2, 'row'), { message: 'row has version 1, not 2' })
  t.throws(() => checkVersion(value, 99, 1, 'row'), CorruptionError)
})

import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { ElementPage } from '../../../src/pages/element-page.js'
import { PackedList } from '../../../src/types/list/packed-list.js'
import { seeded } from '../../support/seeded.js'
import { changeAtRandom, sameAs } from './contents-model.js'

const empty = () => new PackedList(ElementPage.decode(Buffer.alloc(0), 0))

t.test('it agrees with a plain array, and so does what it becomes on the disk', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  for (let round = 0; round < 10; round++) {
    const list = empty()
    const model: string[] = []
    changeAtRandom(list, model, rng, 60, true)
    sameAs(t, list, model, rng)
    sameAs(t, PackedList.decode(list.encode(), 'the list'), model, rng)
  }
})

t.test('it has room for what keeps its row within a page of LMDB', async t => {
  const list = empty()
  t.equal(list.hasRoom(4000), false)
  while (list.hasRoom(100)) list.insert(list.count, Buffer.alloc(100))
  t.ok(list.encode().length > 3700 && list.encode().length < 4000, `${list.encode().length} bytes`)
})

t.test('bytes that are no list are refused by name', async t => {
  const list = empty()
  for (const value of ['a', 'bb']) list.insert(0, Buffer.from(value))
  const bytes = list.encode()
  for (const length of [0, 3, bytes.length - 1]) {
    const refused = { name: 'CorruptionError', message: /the list/ }
    t.throws(() => PackedList.decode(bytes.subarray(0, length), 'the list'), refused)
  }
  bytes.writeUInt32BE(3, 0)
  t.throws(() => PackedList.decode(bytes, 'the list'), CorruptionError)
})

import t from 'tap'
import { idKey, numberedKey, StoreObject, Table } from '../../src/store/row.js'
import type { Store } from '../../src/store/store.js'
import { temporaryFolder, until } from './journal-fixture.js'
import { NumberRow, numberIn, openStore } from './store-fixture.js'

const PAGES = 5000

interface Big {
  readonly object: StoreObject
  readonly tree: number
}

function makeBig(store: Store, pages: number): Big {
  const object = new StoreObject(store.newId())
  const tree = store.newId()
  store.touch(new NumberRow(Table.Heads, idKey(object.id), object, 1))
  store.touch(new NumberRow(Table.Parts, Buffer.concat([idKey(object.id), Buffer.from('gx')]), object, 2))
  store.touch(new NumberRow(Table.Blocks, numberedKey(tree, 0), object, 3))
  for (let i = 0; i < pages; i++) store.touch(new NumberRow(Table.Pages, numberedKey(tree, i), object, i))
  return { object, tree }
}

function rowsOf(store: Store, { object, tree }: Big): number {
  const tables = [
    [Table.Heads, object.id],
    [Table.Parts, object.id],
    [Table.Blocks, tree],
    [Table.Pages, tree],
  ] as const
  return tables.reduce((sum, [table, id]) => sum + [...store.scan(table, idKey(id))].length, 0)
}

t.test(
  'a dropped object is reclaimed in bounded slices, which go on after a restart; nothing else is touched',
  async t => {
    const folder = temporaryFolder(t)
    const store = openStore(folder)
    const big = makeBig(store, PAGES)
    const other = makeBig(store, 10)
    await store.checkpoint()
    store.drop(big.object, [big.tree])
    t.throws(() => store.drop(big.object, []), /dropped twice/)
    await store.checkpoint()
    t.equal(store.figures().retiredObjects, 1, 'the object went with its two rows, the tree is still there')
    t.equal(rowsOf(store, big), PAGES + 3 - 2000, 'one checkpoint deletes a slice')
    await store.close()

    const again = openStore(folder)
    t.equal(again.figures().retiredObjects, 1)
    const successor = makeBig(again, 10)
    t.ok(successor.object.id > other.tree, 'the id of a retired tree is not given to a new one')
    await again.checkpoint()
    await until(() => again.figures().retiredObjects === 0)
    t.equal(rowsOf(again, big), 0)
    t.equal(rowsOf(again, other), 13)
    t.equal(rowsOf(again, successor), 13)
    await again.close()
  },
)

t.test('an object that no checkpoint has seen leaves nothing to reclaim', async t => {
  const store = openStore(temporaryFolder(t))
  const big = makeBig(store, 10)
  store.drop(big.object, [big.tree])
  t.equal(store.figures().retiredObjects, 0)
  await store.checkpoint()
  t.equal(rowsOf(store, big), 0)
  await store.close()
})

t.test('ids given out after the last checkpoint and lost in a crash are in no row of the store', async t => {
  const folder = temporaryFolder(t)
  const store = openStore(folder)
  const kept = makeBig(store, 3)
  await store.checkpoint()
  const lost = makeBig(store, 3)
  await store.close()
  const again = openStore(folder)
  t.equal(rowsOf(again, lost), 0)
  const next = makeBig(again, 4)
  t.equal(next.object.id, lost.object.id, 'replay gives out the same ids again')
  await again.checkpoint()
  t.equal(rowsOf(again, next), 7)
  t.equal(rowsOf(again, kept), 6)
  t.equal(numberIn(again.read(Table.Pages, numberedKey(kept.tree, 2))), 2)
  await again.close()
})

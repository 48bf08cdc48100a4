import t from 'tap'
import { Table } from '../../src/store/row.js'
import { tempDir } from '../support/temp-dir.js'
import { committedTick, NumberRow, numberIn, openStore } from './store-fixture.js'

const keyOf = (number: number) => Buffer.from(`row ${number}`)

t.test('a view reads clean rows as they were, whatever checkpoints write afterwards', async t => {
  const store = openStore(tempDir(t))
  t.teardown(() => store.close())
  const rows = [1, 2, 3].map(number => new NumberRow(Table.Pages, keyOf(number), undefined, number))
  for (const row of rows) store.touch(row)
  await committedTick(store)
  await store.checkpoint()
  const view = store.view()
  const twin = store.view()
  t.ok(view.isUnchanged(rows[0]))
  store.touch(rows[0])
  rows[0].value = 100
  store.touch(rows[1])
  rows[1].removed = true
  t.notOk(view.isUnchanged(rows[0]), 'it is about to change')
  await committedTick(store)
  await store.checkpoint()
  t.equal(numberIn(store.read(Table.Pages, keyOf(1))), 100)
  t.equal(store.read(Table.Pages, keyOf(2)), undefined)
  const later = store.view()
  for (const old of [view, twin]) {
    t.equal(numberIn(old.read(Table.Pages, keyOf(1))), 1)
    t.equal(numberIn(old.read(Table.Pages, keyOf(2))), 2)
    t.notOk(old.isUnchanged(rows[0]), 'it is clean again, but another')
    t.ok(old.isUnchanged(rows[2]))
  }
  t.equal(numberIn(later.read(Table.Pages, keyOf(1))), 100)
  t.ok(later.isUnchanged(rows[0]))
  view.close()
  t.equal(numberIn(twin.read(Table.Pages, keyOf(2))), 2, 'the other one still reads')
  t.throws(() => view.read(Table.Pages, keyOf(2)), /open/)
  twin.close()
  twin.close()
  later.close()
})

t.test('rows are fetched off the main thread, many at a time, also those that are not there', async t => {
  const store = openStore(tempDir(t))
  t.teardown(() => store.close())
  for (let i = 0; i < 500; i++) store.touch(new NumberRow(Table.Pages, keyOf(i), undefined, i, 5000))
  await committedTick(store)
  await store.checkpoint()
  const view = store.view()
  const keys = Array.from({ length: 600 }, (_, i) => keyOf(i))
  await Promise.all([0, 100, 200, 300, 400, 500].map(at => view.fetch(Table.Pages, keys.slice(at, at + 100))))
  t.equal(numberIn(view.read(Table.Pages, keyOf(499))), 499)
  t.equal(view.read(Table.Pages, keyOf(599)), undefined)
  await view.fetch(Table.Pages, [])
  view.close()
})

t.test('a store is closed with views open', async t => {
  const store = openStore(tempDir(t))
  const view = store.view()
  await store.close()
  t.throws(() => view.read(Table.Pages, keyOf(1)), /open/)
})

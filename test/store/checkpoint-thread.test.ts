import t from 'tap'
import type { Test } from 'tap'
import { InvariantError } from '../../src/base/assert.js'
import { CheckpointThread } from '../../src/store/checkpoint-thread.js'
import { Environment } from '../../src/store/environment.js'
import { RetiredKind } from '../../src/store/retirement.js'
import { PACK_BYTES, PackBuilder } from '../../src/store/row-pack.js'
import type { Pack } from '../../src/store/row-pack.js'
import { idKey, numberedKey, Table } from '../../src/store/row.js'
import { temporaryFolder, until } from './journal-fixture.js'

function setUp(t: Test) {
  const folder = temporaryFolder(t)
  const environment = new Environment(folder)
  const thread = new CheckpointThread(folder)
  t.teardown(async () => {
    await thread.close()
    await environment.close()
  })
  const read = (id: number) => {
    environment.refresh()
    return environment.read(Table.Heads, idKey(id))?.toString()
  }
  return { environment, thread, read }
}

function pack(id: number, text: string | undefined): Pack {
  const builder = new PackBuilder()
  builder.add(Table.Heads, idKey(id), text === undefined ? undefined : Buffer.from(text))
  return builder.take()
}

t.test('the packs of a run are one transaction, with the checksums of their rows', async t => {
  const { thread, read } = setUp(t)
  const first = thread.begin()
  t.throws(() => thread.begin(), InvariantError, 'one at a time')
  thread.send(pack(1, 'one'), 'more')
  thread.send(pack(2, 'two'), 'more')
  t.equal(read(1), undefined, 'nothing is visible before the end')
  thread.send(pack(3, 'three'), 'commit')
  t.match(await first, { failure: undefined, reclaimed: { rows: 0, ids: 0 } })
  t.same([1, 2, 3].map(read), ['one', 'two', 'three'])
  const second = thread.begin()
  thread.send(pack(2, undefined), 'more')
  thread.send(undefined, 'commit')
  await second
  t.same([1, 2, 3].map(read), ['one', undefined, 'three'])
})

t.test('the memory of a pack comes back when it is written, unless its size is unusual', async t => {
  const { thread } = setUp(t)
  t.equal(thread.spareMemory(), undefined)
  const run = thread.begin()
  thread.send(pack(1, 'one'), 'more')
  thread.send(pack(2, 'x'.repeat(2 * PACK_BYTES)), 'commit')
  await run
  t.equal(thread.spareMemory()?.byteLength, PACK_BYTES)
  t.equal(thread.spareMemory(), undefined)
})

t.test('a run that is given up, or fails, writes nothing; the next one works', async t => {
  const { thread, read } = setUp(t)
  const first = thread.begin()
  thread.send(pack(1, 'one'), 'more')
  thread.send(undefined, 'abort')
  t.match(await first, { failure: 'given up' })
  const second = thread.begin()
  thread.send(pack(1, 'one'), 'more')
  const impossible = new PackBuilder()
  // LMDB takes no key of that length.
  impossible.add(Table.Heads, Buffer.alloc(3000, 1), Buffer.from('x'))
  thread.send(impossible.take(), 'more')
  t.match(await second, { failure: /\w/ })
  thread.send(pack(1, 'late'), 'commit')
  t.equal(read(1), undefined)
  const third = thread.begin()
  thread.send(pack(1, 'again'), 'commit')
  t.match(await third, { failure: undefined })
  t.equal(read(1), 'again', 'what the failed run was still sent is not in it')
})

t.test('the sender is asked to wait while many packs are on their way', async t => {
  const { thread } = setUp(t)
  const run = thread.begin()
  for (let id = 1; !thread.isBehind; id++) {
    t.ok(id < 10_000, 'it says so in the end')
    thread.send(pack(id, 'x'), 'more')
  }
  await until(() => !thread.isBehind)
  thread.send(undefined, 'commit')
  await run
  t.equal(thread.isBehind, false)
})

t.test('a run deletes a bounded number of rows of dropped objects', async t => {
  const { environment, thread } = setUp(t)
  const builder = new PackBuilder()
  for (let page = 0; page < 10; page++) builder.add(Table.Pages, numberedKey(7, page), Buffer.from('page'))
  builder.add(Table.Pages, numberedKey(8, 0), Buffer.from('another'))
  builder.add(Table.Retired, idKey(7), Buffer.of(RetiredKind.Tree))
  const run = async (last: Pack | undefined) => {
    const over = thread.begin()
    thread.send(last, 'commit', 6)
    const { reclaimed } = await over
    environment.refresh()
    return reclaimed
  }
  t.same(await run(builder.take()), { rows: 6, ids: 0 })
  t.equal(environment.countOf(Table.Pages), 5)
  t.same(await run(undefined), { rows: 4, ids: 1 })
  t.equal(environment.countOf(Table.Retired), 0)
  t.equal(environment.countOf(Table.Pages), 1, 'what nobody dropped stays')
})

t.test('the end gives up a run that is still going on', async t => {
  const { thread, read } = setUp(t)
  const run = thread.begin()
  thread.send(pack(1, 'one'), 'more')
  await thread.close()
  t.match(await run, { failure: 'given up' })
  t.equal(read(1), undefined)
})

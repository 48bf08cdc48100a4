import t from 'tap'
import type { Test } from 'tap'
import { stringCommands } from '../../src/commands/string-commands.js'
import { keyCommands } from '../../src/commands/key-commands.js'
import { streamCommands } from '../../src/commands/stream-commands.js'
import { Table } from '../../src/store/row.js'
import { ExecHarness } from '../support/exec-harness.js'

/** A harness whose strings are all out of memory, and whose fetches the test ends. */
function setUp(t: Test) {
  const harness = new ExecHarness([...stringCommands, ...keyCommands])
  t.teardown(() => harness.close())
  const fetches: { rows: readonly unknown[]; arrive: () => Promise<void> }[] = []
  harness.rows.fetch = (rows: readonly unknown[] = []) =>
    new Promise<void>(resolve => {
      fetches.push({
        rows,
        arrive: async () => {
          resolve()
          // The row is brought in beside a turn of the loop.
          for (let i = 0; i < 2; i++) await new Promise(done => setImmediate(done))
        },
      })
    })
  const filler = harness.client()
  for (let i = 0; i < 5; i++) filler.ask('SET', `k${i}`, `value ${i}`)
  harness.rows.flushAndEvict()
  harness.executor.keyspace.hits = 0
  return { harness, fetches, client: harness.client(), other: harness.client() }
}

t.test('a command that misses is run again when the row is there; others go on, the client itself waits', async t => {
  const { harness, fetches, client, other } = setUp(t)
  client.send('GET', 'k1')
  client.send('GET', 'nothing')
  harness.endTick()
  t.equal(client.transport.sent, '')
  t.equal(harness.executor.cold.waiting, 1)
  t.equal(other.ask('GET', 'nothing'), '$-1\r\n')
  t.equal(fetches.length, 1)
  await fetches[0].arrive()
  harness.endTick()
  t.equal(client.transport.sent, '$7\r\nvalue 1\r\n$-1\r\n')
  client.transport.sent = ''
  t.equal(harness.executor.cold.waiting, 0)
  t.equal(client.ask('GET', 'k1'), '$7\r\nvalue 1\r\n', 'it is in memory now')
  t.equal(fetches.length, 1)
  t.equal(harness.executor.keyspace.hits, 2, 'the given-up run is not counted')
  t.equal(harness.stats.commands.get('get')!.calls, 4)
})

t.test('a command that needs several rows comes back for each, and answers once', async t => {
  const { harness, fetches, client } = setUp(t)
  client.send('MGET', 'k1', 'k2', 'k3')
  harness.endTick()
  for (let i = 0; i < 3; i++) {
    t.equal(client.transport.sent, '')
    await fetches[i].arrive()
    harness.endTick()
  }
  t.equal(client.transport.sent, '*3\r\n$7\r\nvalue 1\r\n$7\r\nvalue 2\r\n$7\r\nvalue 3\r\n')
})

t.test('what another client changed meanwhile is seen: the command runs when it runs', async t => {
  const { harness, fetches, client, other } = setUp(t)
  client.send('APPEND', 'k1', '!')
  harness.endTick()
  other.ask('SET', 'k1', 'new')
  await fetches[0].arrive()
  harness.endTick()
  t.equal(client.transport.sent, ':4\r\n')
  t.equal(harness.sink.records.length, 7, 'one record for each write')
})

t.test('nothing is missed in a transaction, and a client that goes is forgotten', async t => {
  const { harness, fetches, client, other } = setUp(t)
  client.send('MULTI')
  client.send('GET', 'k1')
  t.equal(client.ask('EXEC'), '+OK\r\n+QUEUED\r\n*1\r\n$7\r\nvalue 1\r\n')
  t.equal(fetches.length, 0)
  other.send('GET', 'k2')
  harness.endTick()
  t.equal(fetches.length, 1)
  other.session.onClose()
  await fetches[0].arrive()
  harness.endTick()
  t.equal(other.transport.sent, '')
  t.equal(harness.executor.cold.waiting, 0)
})

t.test('a change before a read keeps the command going: it reads for itself', t => {
  const { fetches, client } = setUp(t)
  t.equal(client.ask('MSET', 'a', '1', 'k1', '2'), '+OK\r\n')
  t.equal(client.ask('DEL', 'k2', 'k3'), ':2\r\n')
  t.equal(fetches.length, 0)
  t.end()
})

t.test('a command whose rows never stay runs in the end', async t => {
  const { harness, fetches, client } = setUp(t)
  const { misses } = harness.rows
  const arm = misses.arm.bind(misses)
  // What was fetched is gone again, each time.
  misses.arm = () => arm(undefined)
  client.send('GET', 'k1')
  harness.endTick()
  for (let i = 0; client.transport.sent === '' && i < 100; i++) {
    await fetches[i].arrive()
    harness.endTick()
  }
  t.equal(client.transport.sent, '$7\r\nvalue 1\r\n')
})

t.test('many pages are brought in in shares, others have their turns in between', async t => {
  const harness = new ExecHarness([...stringCommands, ...streamCommands])
  t.teardown(() => harness.close())
  const { rows } = harness
  const client = harness.client()
  const pad = 'x'.repeat(1000)
  for (let i = 1; i <= 400; i++) client.ask('XADD', 'stream', `${i}-0`, 'f', `${pad}${i}`)
  const whole = client.ask('XRANGE', 'stream', '-', '+', 'COUNT', 300)
  rows.flushAndEvict()
  const read = rows.read.bind(rows)
  let pages = 0
  rows.read = (table, key) => {
    const value = read(table, key)
    if (table !== Table.Pages) return value
    pages++
    harness.clock.advance(0.06)
    return value
  }
  client.send('XRANGE', 'stream', '-', '+', 'COUNT', 300)
  harness.endTick()
  const other = harness.client()
  const most: number[] = []
  for (let turn = 0; turn < 100 && client.transport.sent === ''; turn++) {
    const before = pages
    await new Promise(done => setImmediate(done))
    most.push(pages - before)
    t.equal(other.ask('GET', 'nothing'), '$-1\r\n')
  }
  t.ok(client.received() === whole, 'the reply is whole')
  t.ok(pages > 10, `${pages} pages`)
  t.ok(Math.max(...most) <= 2, `pages in each turn: ${most.join(' ')}`)
})

t.test('what was to be brought in may be gone when its turn comes', async t => {
  const harness = new ExecHarness([...stringCommands, ...keyCommands, ...streamCommands])
  t.teardown(() => harness.close())
  const arrive: (() => void)[] = []
  const client = harness.client()
  const other = harness.client()
  for (const change of [
    ['DEL', 'stream'],
    ['XTRIM', 'stream', 'MAXLEN', 3],
    ['XADD', 'stream', '999-0', 'f', 'v'],
  ]) {
    for (let i = 1; i <= 100; i++) client.ask('XADD', 'stream', `${i}-0`, 'f', 'x'.repeat(1000))
    harness.rows.flushAndEvict()
    harness.rows.fetch = () => new Promise<void>(resolve => void arrive.push(resolve))
    client.send('XRANGE', 'stream', '-', '+')
    harness.endTick()
    // In a transaction, so that it does not wait itself.
    other.send('MULTI')
    other.send(...change)
    other.ask('EXEC')
    other.received()
    const expected = other.ask('XLEN', 'stream')
    while (client.transport.sent === '') {
      arrive.shift()?.()
      await new Promise(done => setImmediate(done))
    }
    t.equal(`:${/^\*(\d+)/.exec(client.received())![1]}\r\n`, expected, change.join(' '))
    other.ask('DEL', 'stream')
  }
})

t.test('a command may rest as often as it has to; others go on, and nothing is fetched for it', async t => {
  const { harness, fetches, client, other } = setUp(t)
  const { rows } = harness
  const read = rows.read.bind(rows)
  let rests = 0
  rows.read = (table, key) => {
    if (++rests <= 40) rows.misses.rest()
    rows.misses.armed = false
    return read(table, key)
  }
  client.send('GET', 'k1')
  harness.endTick()
  for (let turn = 0; turn < 60 && client.transport.sent === ''; turn++) {
    t.equal(other.ask('GET', 'nothing'), '$-1\r\n')
    await new Promise(done => setImmediate(done))
    harness.endTick()
  }
  t.equal(client.transport.sent, '$7\r\nvalue 1\r\n')
  t.equal(rests, 41)
  t.equal(fetches.length, 0)
  t.equal(harness.executor.cold.waiting, 0)
})

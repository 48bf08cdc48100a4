import t from 'tap'
import { readSyncMark } from '../../src/store/sync-mark.js'
import {
  FaultyFiles,
  committed,
  openJournal,
  record,
  recover,
  segmentsIn,
  temporaryFolder,
  until,
} from './journal-fixture.js'

t.test('what was committed is read back, in order and with its clock', async t => {
  const folder = temporaryFolder(t)
  const journal = openJournal(folder)
  record(journal, 'a')
  record(journal, 'b')
  t.equal(await committed(journal), undefined)
  const request = Buffer.from('xx*3\r\n$4\r\nXADD\r\n$1\r\ns\r\n$1\r\n*\r\nyy')
  journal.begin(2 ** 41 + 5)
  journal.addSpliced(3, request, 2, request.length - 2, 23, 30, Buffer.from('$3\r\n5-1\r\nspare'), 9)
  journal.addArguments(15, [Buffer.from([0, 255]), 12n, 7])
  journal.end()
  await committed(journal)
  await journal.close()
  const { records, next } = recover(folder)
  t.equal(next, 4)
  t.same(
    records.map(one => [one.sequence, one.nowMs]),
    [
      [1, 1000],
      [2, 1000],
      [3, 2 ** 41 + 5],
    ],
  )
  t.same(
    records[2].effects.map(({ database, bytes }) => [database, bytes.toString('latin1')]),
    [
      [3, '*3\r\n$4\r\nXADD\r\n$1\r\ns\r\n$3\r\n5-1\r\n'],
      [15, '*3\r\n$2\r\n\x00\xff\r\n$2\r\n12\r\n$1\r\n7\r\n'],
    ],
  )
})

t.test('an abandoned record, and one without effects, leave nothing behind', async t => {
  const folder = temporaryFolder(t)
  const journal = openJournal(folder)
  journal.begin(1)
  journal.addArguments(0, ['SET', 'key', 'never'])
  journal.abandon()
  journal.begin(1)
  journal.end()
  t.ok(journal.betweenTicks)
  await committed(journal)
  t.same(segmentsIn(folder), [])
  record(journal, 'x'.repeat(3_000_000))
  record(journal, 'y')
  await committed(journal)
  await journal.close()
  t.same(
    recover(folder).texts.map(text => text.length),
    [3_000_000, 1],
  )
})

t.test('always: nothing is acknowledged before the sync, and one sync covers what was written meanwhile', async t => {
  const files = new FaultyFiles()
  const journal = openJournal(temporaryFolder(t), { files })
  files.holdSyncs = true
  const order: string[] = []
  record(journal, 'a')
  journal.commit(() => void order.push('a'))
  journal.commit(() => void order.push('read'))
  for (const text of ['b', 'c']) {
    record(journal, text)
    journal.commit(() => void order.push(text))
  }
  t.equal(files.writes, 3)
  t.equal(files.syncsStarted, 1)
  t.same(order, [])
  files.releaseSyncs()
  await journal.synced()
  t.same(order, ['a', 'read', 'b', 'c'])
  t.equal(files.syncsStarted, 2)
  await journal.close()
})

t.test('a sync in the middle of a tick leaves the tick for later', async t => {
  const folder = temporaryFolder(t)
  const journal = openJournal(folder)
  record(journal, 'a')
  const first = committed(journal)
  record(journal, 'b')
  const second = committed(journal)
  record(journal, 'c')
  await first
  await second
  record(journal, 'd')
  await committed(journal)
  await journal.close()
  t.same(recover(folder).texts, ['a', 'b', 'c', 'd'])
})

t.test('a sync waits for the clients that the one before it answered', async t => {
  const files = new FaultyFiles()
  const journal = openJournal(temporaryFolder(t), { files })
  const commit = (text: string, clients: number) => {
    record(journal, text)
    return new Promise<string | undefined>(resolve => journal.commit(resolve, clients))
  }
  files.holdSyncs = true
  const first = commit('a', 50)
  const second = commit('b', 50)
  t.equal(files.syncsStarted, 1)
  let started = 0
  // What is answered comes again at once: until then the second tick waits, although its sync could begin.
  const third = first.then(() => {
    started = files.syncsStarted
    return commit('c', 50)
  })
  files.releaseSyncs()
  await Promise.all([first, second, third])
  t.equal(started, 1)
  t.equal(files.syncsStarted, 2, 'both share a sync')
  await journal.close()
})

t.test('everysec and no have room reserved, which a write need not wait for; always has zeros written', async t => {
  for (const [policy, reservations] of [
    ['everysec', 1],
    ['no', 1],
    ['always', 0],
  ] as const) {
    const files = new FaultyFiles()
    const folder = temporaryFolder(t)
    const journal = openJournal(folder, { files, policy })
    for (const text of ['a', 'b', 'c']) {
      record(journal, text)
      journal.commit(() => undefined)
    }
    t.equal(files.reserved.length, reservations, policy)
    await journal.close()
    t.same(recover(folder).texts, ['a', 'b', 'c'])
  }
})

t.test('everysec and no acknowledge at once; synced() waits for the device', async t => {
  for (const policy of ['everysec', 'no'] as const) {
    const files = new FaultyFiles()
    const folder = temporaryFolder(t)
    const journal = openJournal(folder, { files, policy })
    files.holdSyncs = true
    let done = 0
    record(journal, 'a')
    journal.commit(() => done++)
    t.equal(done, 1)
    const synced = journal.synced()
    record(journal, 'b')
    journal.commit(() => done++)
    t.equal(done, 2, 'a caller of synced() makes nobody else wait')
    files.releaseSyncs()
    await synced
    await journal.close()
    t.same(recover(folder).texts, ['a', 'b'])
  }
})

t.test('the policy can be changed while acknowledgements wait; their order stays', async t => {
  const files = new FaultyFiles()
  const folder = temporaryFolder(t)
  const journal = openJournal(folder, { files })
  files.holdSyncs = true
  const order: string[] = []
  const write = (text: string): void => {
    record(journal, text)
    journal.commit(() => void order.push(text))
  }
  write('a')
  write('b')
  journal.policy = 'everysec'
  write('c')
  journal.policy = 'always'
  write('d')
  t.same(order, [])
  files.releaseSyncs()
  await journal.synced()
  t.same(order, ['a', 'b', 'c', 'd'])
  await journal.close()
  t.same(recover(folder).texts, ['a', 'b', 'c', 'd'])
})

for (const policy of ['always', 'everysec', 'no'] as const) {
  t.test(`${policy}: a failed write is held, told, retried and mended`, async t => {
    const files = new FaultyFiles()
    const folder = temporaryFolder(t)
    const journal = openJournal(folder, { files, policy })
    const order: string[] = []
    record(journal, 'a')
    await committed(journal)
    files.writeError = -28
    record(journal, 'b')
    journal.commit(() => void order.push('b'))
    t.match(journal.writeFault, /^MISCONF Errors writing to the journal: no space left on device \(ENOSPC\)$/)
    journal.commit(() => void order.push('read'))
    t.same(order, ['read'], 'reads go on')
    record(journal, 'c')
    journal.commit(() => void order.push('c'))
    const writes = files.writes
    await until(() => files.writes > writes)
    t.same(order, ['read'])
    files.writeError = 0
    await until(() => journal.writeFault === undefined)
    await journal.synced()
    t.same(order, ['read', 'b', 'c'])
    record(journal, 'd')
    t.equal(await committed(journal), undefined)
    await journal.close()
    t.same(recover(folder).texts, ['a', 'b', 'c', 'd'])
  })
}

t.test('always: after a failed sync everything unsynced is written again, to a new segment', async t => {
  const files = new FaultyFiles()
  const folder = temporaryFolder(t)
  const lost: number[] = []
  const journal = openJournal(folder, { files, onRecordsLost: () => void lost.push(1) })
  record(journal, 'a')
  await committed(journal)
  const order: string[] = []
  files.holdSyncs = true
  files.syncError = new Error('I/O error')
  for (const text of ['b', 'c']) {
    record(journal, text)
    journal.commit(() => void order.push(text))
  }
  files.releaseSyncs()
  await until(() => journal.writeFault !== undefined)
  t.match(journal.writeFault, /^MISCONF Errors syncing the journal: I\/O error$/)
  record(journal, 'd')
  journal.commit(() => void order.push('d'))
  const started = files.syncsStarted
  await until(() => files.syncsStarted > started + 1)
  t.same(order, [])
  files.syncError = null
  await until(() => journal.writeFault === undefined)
  await journal.synced()
  t.same(order, ['b', 'c', 'd'])
  t.same(lost, [])
  t.same(segmentsIn(folder), ['00000000000000000001.seg', '00000000000000000002.seg'])
  record(journal, 'e')
  await committed(journal)
  await journal.close()
  t.same(recover(folder).texts, ['a', 'b', 'c', 'd', 'e'])
})

t.test('everysec: after a failed sync writes are refused until a checkpoint contains what may be lost', async t => {
  const files = new FaultyFiles()
  const folder = temporaryFolder(t)
  let lost = 0
  const journal = openJournal(folder, { files, policy: 'everysec', onRecordsLost: () => lost++ })
  record(journal, 'a')
  await committed(journal)
  files.syncError = new Error('I/O error')
  const synced = journal.synced()
  await until(() => journal.writeFault !== undefined)
  t.equal(lost, 1)
  const marked = readSyncMark(folder)
  record(journal, 'held')
  const held = committed(journal)
  files.syncError = null
  const before = journal.syncs
  await until(() => journal.syncs > before)
  t.ok(journal.writeFault)
  t.equal(readSyncMark(folder), marked, 'no sync says that it covers what an earlier one lost')
  journal.contained(journal.cut())
  await until(() => journal.writeFault === undefined)
  await synced
  t.equal(await held, undefined)
  record(journal, 'b')
  await committed(journal)
  await journal.close()
  t.same(recover(folder, 3).texts, ['b'])
})

t.test('a checkpoint deletes the segments it contains and no other', async t => {
  const folder = temporaryFolder(t)
  const journal = openJournal(folder)
  const positions: number[] = []
  for (const text of ['a', 'b', 'c']) {
    record(journal, text)
    await committed(journal)
    positions.push(journal.cut())
  }
  t.same(positions, [2, 3, 4])
  t.equal(journal.segmentCount, 3)
  journal.contained(3)
  t.same(segmentsIn(folder), ['00000000000000000003.seg'])
  t.equal(journal.cut(), 4, 'a cut without records between makes no segment')
  await journal.close()
  t.same(recover(folder, 3).texts, ['c'])
})

t.test('a full disk is mended by a checkpoint that contains every record', async t => {
  const files = new FaultyFiles()
  const folder = temporaryFolder(t)
  const journal = openJournal(folder, { files })
  record(journal, 'a')
  await committed(journal)
  files.writeError = -28
  record(journal, 'b')
  const held = committed(journal)
  journal.contained(journal.cut())
  t.equal(await held, undefined)
  t.equal(journal.writeFault, undefined)
  t.same(segmentsIn(folder), [])
  files.writeError = 0
  record(journal, 'c')
  await committed(journal)
  await journal.close()
  t.same(recover(folder, 3).texts, ['c'])
})

t.test('closing tells those who still wait why', async t => {
  const files = new FaultyFiles()
  const journal = openJournal(temporaryFolder(t), { files })
  files.writeError = -5
  record(journal, 'a')
  const held = committed(journal)
  const synced = journal.synced()
  await Promise.all([journal.close(), t.rejects(synced, /MISCONF/)])
  t.match(await held, /^MISCONF Errors writing to the journal: i\/o error \(EIO\)$/)
})

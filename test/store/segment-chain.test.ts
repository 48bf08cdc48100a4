import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { silentLog } from '../../src/base/log.js'
import { RecordBuffer } from '../../src/store/journal-record.js'
import { SEGMENT, ZEROS_BYTES } from '../../src/store/journal-segment.js'
import { SegmentChain } from '../../src/store/segment-chain.js'
import { FaultyFiles, recover, temporaryFolder } from './journal-fixture.js'

function setUp(t: Test) {
  const folder = temporaryFolder(t)
  const files = new FaultyFiles()
  const chain = new SegmentChain(folder, files, silentLog(), [])
  const names = () => readdirSync(folder).map(name => Number(name.slice(0, 20)))
  const sync = () => new Promise<Error | null>(resolve => chain.sync(resolve))
  return { folder, files, chain, names, sync }
}

function records(...sequences: number[]): RecordBuffer {
  const buffer = new RecordBuffer()
  for (const sequence of sequences) {
    buffer.begin(sequence, 0)
    buffer.addArguments(0, ['SET', 'k', 'v'])
    buffer.end()
  }
  return buffer
}

t.test('a segment is made by the first record that goes to it, and counts its bytes', async t => {
  const { folder, chain, names } = setUp(t)
  chain.write(records(), 0, 1)
  t.same(names(), [], 'nothing to write makes nothing')
  const two = records(5, 6)
  chain.write(two, 0, 5)
  chain.write(records(7), 0, 7)
  t.same(names(), [5])
  t.equal(chain.count, 1)
  t.equal(chain.bytes, statSync(join(folder, readdirSync(folder)[0])).size)
  t.equal(chain.bytes, SEGMENT.BODY + (two.used / 2) * 3)
  chain.rotate()
  chain.rotate()
  t.equal(chain.count, 1, 'an end without a successor is no segment')
  chain.write(records(8, 9), two.used / 2, 9)
  t.same(names(), [5, 9], 'only the tail was written')
  chain.close()
})

t.test('room written ahead is used before more is written, and holds no record', async t => {
  const { folder, chain } = setUp(t)
  const size = () => statSync(join(folder, readdirSync(folder)[0])).size
  chain.writeAhead()
  t.same(readdirSync(folder), [], 'no segment, no room')
  chain.write(records(1), 0, 1)
  const bytes = chain.bytes
  chain.writeAhead()
  t.equal(size(), bytes + ZEROS_BYTES)
  t.equal(chain.bytes, bytes, 'only records count')
  const one = bytes - SEGMENT.BODY
  let sequence = 2
  for (; chain.bytes + one <= bytes + ZEROS_BYTES; sequence++) {
    chain.write(records(sequence), 0, sequence)
    chain.writeAhead()
  }
  t.equal(size(), bytes + ZEROS_BYTES)
  chain.write(records(sequence), 0, sequence)
  chain.writeAhead()
  t.equal(size(), chain.bytes + ZEROS_BYTES)
  chain.close()
  t.equal(recover(folder).next, sequence + 1)
})

t.test('room that the disk does not have is done without', async t => {
  const { folder, files, chain } = setUp(t)
  chain.write(records(1), 0, 1)
  files.zerosError = new Error('no space left on device (ENOSPC)')
  chain.writeAhead()
  files.zerosError = undefined
  chain.write(records(2), 0, 2)
  chain.writeAhead()
  t.equal(statSync(join(folder, readdirSync(folder)[0])).size, chain.bytes, 'nor asked for again in this segment')
  chain.rotate()
  chain.write(records(3), 0, 3)
  chain.writeAhead()
  t.equal(statSync(join(folder, readdirSync(folder)[1])).size, SEGMENT.BODY + records(3).used + ZEROS_BYTES)
  chain.close()
})

t.test('reserved room grows with the segment, is topped up in time, and holds no record', async t => {
  const { folder, files, chain } = setUp(t)
  const size = () => statSync(join(folder, readdirSync(folder)[0])).size
  chain.reserveAhead()
  t.same(readdirSync(folder), [], 'no segment, no room')
  let [sequence, least] = [1, Infinity]
  const write = (count: number): void => {
    const some = records(...Array.from({ length: count }, (_, i) => sequence + i))
    chain.write(some, 0, sequence)
    sequence += count
    least = Math.min(least, size() - chain.bytes)
    chain.reserveAhead()
  }
  for (write(1), least = Infinity; chain.bytes < 3 << 20;) write(500)
  t.ok(least > 90_000, `${least} bytes of room at least`)
  t.ok(size() <= 3 * chain.bytes, `${size()} bytes for ${chain.bytes}`)
  t.equal(files.reserved[0], 256 << 10)
  t.ok(files.reserved.length > 3 && files.reserved.length < 20, `${files.reserved.length} reservations`)
  chain.close()
  t.equal(recover(folder).next, sequence)
})

t.test('a segment that is very large reserves no more at once than others', async t => {
  const { files, chain } = setUp(t)
  const large = new RecordBuffer()
  large.begin(1, 0)
  large.addArguments(0, ['SET', 'k', Buffer.alloc(30 << 20, 'x')])
  large.end()
  chain.write(large, 0, 1)
  chain.reserveAhead()
  t.same(files.reserved, [8 << 20])
  chain.close()
})

t.test('no room is reserved while the segment is being synced, and none after a refusal', async t => {
  const { folder, files, chain, sync } = setUp(t)
  files.holdSyncs = true
  chain.write(records(1), 0, 1)
  const synced = sync()
  chain.reserveAhead()
  t.same(files.reserved, [], 'it would wait for the same journal of the file system')
  files.releaseSyncs()
  await synced
  files.reserveError = -28
  chain.reserveAhead()
  files.reserveError = 0
  chain.reserveAhead()
  t.same(files.reserved, [], 'a disk that is full is not asked again in this segment')
  chain.rotate()
  chain.write(records(2), 0, 2)
  chain.reserveAhead()
  t.equal(files.reserved.length, 1)
  chain.close()
  t.equal(recover(folder).next, 3)
})

t.test('a write that failed is overwritten by the next', async t => {
  const { folder, files, chain } = setUp(t)
  files.writeError = -28
  t.throws(() => chain.write(records(1), 0, 1), new Error('no space left on device (ENOSPC)'))
  files.writeError = 0
  chain.write(records(1), 0, 1)
  t.equal(statSync(join(folder, readdirSync(folder)[0])).size, chain.bytes)
  chain.close()
})

t.test('a segment whose file cannot be made leaves no half of it behind', async t => {
  const { files, chain } = setUp(t)
  files.createError = new Error('EACCES')
  t.throws(() => chain.write(records(1), 0, 1), files.createError)
  t.match(chain, { count: 0, bytes: 0, dirty: false })
  files.createError = undefined
  chain.write(records(1), 0, 1)
  t.equal(chain.count, 1)
  chain.close()
})

t.test('what is written is dirty until a sync that began later succeeded, older segments too', async t => {
  const { files, chain, sync } = setUp(t)
  chain.write(records(1), 0, 1)
  chain.rotate()
  chain.write(records(2), 0, 2)
  t.equal(chain.dirty, true)
  files.syncError = new Error('EIO')
  t.equal(await sync(), files.syncError)
  t.equal(chain.dirty, true, 'a failed sync cleans nothing')
  files.syncError = null
  files.syncsStarted = 0
  t.equal(await sync(), null)
  t.equal(files.syncsStarted, 2, 'both segments')
  t.equal(chain.dirty, false)
  files.holdSyncs = true
  chain.write(records(3), 0, 3)
  const synced = sync()
  chain.write(records(4), 0, 4)
  files.releaseSyncs()
  await synced
  t.equal(chain.dirty, true, 'written while the sync ran')
  chain.close()
})

t.test('segments are deleted when all their records lie below the position, also under a running sync', async t => {
  const { files, chain, names, sync } = setUp(t)
  for (const first of [1, 3, 5]) {
    chain.write(records(first, first + 1), 0, first)
    if (first < 5) chain.rotate()
  }
  chain.deleteBelow(2, 7)
  t.same(names(), [1, 3, 5])
  files.holdSyncs = true
  const synced = sync()
  chain.deleteBelow(5, 7)
  t.same(names(), [5])
  t.equal(chain.count, 1)
  files.releaseSyncs()
  t.equal(await synced, null, 'its descriptor was still open')
  chain.deleteBelow(7, 7)
  t.same(names(), [5], 'the current one stays')
  chain.rotate()
  chain.deleteBelow(7, 7)
  t.same(names(), [])
  chain.close()
})

t.test('giving up after a failed sync keeps the segments with older records', async t => {
  const { chain, names } = setUp(t)
  chain.write(records(1, 2, 3), 0, 1)
  chain.rotate()
  chain.write(records(4), 0, 4)
  chain.abandon(3)
  t.equal(chain.count, 1)
  chain.write(records(3, 4), 0, 3)
  t.same(names(), [1, 3])
  chain.close()
})

t.test('nothing is written beside a segment that was given up and cannot be removed', async t => {
  const { chain, files, names } = setUp(t)
  chain.write(records(1), 0, 1)
  chain.rotate()
  chain.write(records(2), 0, 2)
  // Record 1 goes to a segment that would end where the second, whose records may be lost, begins.
  chain.abandon(1)
  files.removeError = new Error('read-only file system')
  t.throws(() => chain.write(records(1, 2, 3), 0, 1), /read-only/)
  t.throws(() => chain.write(records(1, 2, 3), 0, 1), /read-only/, 'and again')
  files.removeError = undefined
  chain.write(records(1, 2, 3), 0, 1)
  t.same(names(), [1])
  chain.close()
})

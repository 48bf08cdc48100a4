import { copyFileSync, cpSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { CorruptionError, UsageError } from '../../src/base/errors.js'
import { crc32c } from '../../src/native/crc32c.js'
import { SEGMENT, segmentEnd, segmentName } from '../../src/store/journal-segment.js'
import { encodeSyncMark, readSyncMark, SYNC_MARK_NAME } from '../../src/store/sync-mark.js'
import { committed, openJournal, record, recover, segmentsIn, temporaryFolder } from './journal-fixture.js'

/** A journal of one segment with a record per text; returns its bytes and where each record begins. */
async function write(
  folder: string,
  texts: readonly string[],
  nextSequence = 1,
): Promise<{ bytes: Buffer; starts: number[] }> {
  const journal = openJournal(folder, { nextSequence })
  const path = join(folder, segmentName(nextSequence))
  const starts: number[] = []
  let end: number = SEGMENT.BODY
  for (const text of texts) {
    record(journal, text)
    await committed(journal)
    starts.push(end)
    end = segmentEnd(readFileSync(path))
  }
  await journal.close()
  return { bytes: readFileSync(path).subarray(0, end), starts }
}

t.test(
  'a journal cut at any byte gives every whole record before the cut, with one warning if it cut into one',
  async t => {
    const folder = temporaryFolder(t)
    const { bytes, starts } = await write(folder, ['one', 'two', 'three'])
    const path = join(folder, segmentName(1))
    const ends = [...starts.slice(1), bytes.length]
    for (let length = 0; length < bytes.length; length++) {
      writeFileSync(path, bytes.subarray(0, length))
      const whole = ends.filter(end => end <= length).length
      const { texts, warnings, next } = recover(folder)
      const isBoundary = length === SEGMENT.BODY || ends.includes(length)
      if (texts.length !== whole || next !== whole + 1) t.fail(`cut at ${length}: ${texts.join()}`)
      if (warnings.length !== (isBoundary ? 0 : 1)) t.fail(`cut at ${length}: ${warnings.join()}`)
      if (!isBoundary) t.match(warnings[0], path)
      t.same(recover(folder).warnings, [], 'mended: the next start has nothing to say')
      if (length < SEGMENT.BODY) t.same(segmentsIn(folder), [])
    }
  },
)

t.test('any flipped byte is noticed: refused when good records follow, cut when it is the last record', async t => {
  const folder = temporaryFolder(t)
  const { bytes, starts } = await write(folder, ['one', 'two', 'three'])
  const path = join(folder, segmentName(1))
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes)
    damaged[at] ^= 0x40
    writeFileSync(path, damaged)
    if (at >= starts[2]) {
      const { texts, warnings } = recover(folder)
      if (texts.join() !== 'one,two' || warnings.length !== 1) t.fail(`byte ${at}: ${texts.join()}`)
      continue
    }
    try {
      recover(folder)
      t.fail(`byte ${at} was not noticed`)
    } catch (error) {
      const from = at < SEGMENT.BODY ? 0 : starts.findLast(start => start <= at)
      t.ok(error instanceof CorruptionError)
      t.match((error as Error).message, `${path} is damaged at byte ${from} `)
      t.match((error as Error).message, `truncate -s ${from} ${path}`)
    }
    t.same(readFileSync(path), damaged, 'a refused journal is left as it is')
  }
})

t.test('zeros behind the last record are room that was written ahead, and nothing to be mended', async t => {
  const folder = temporaryFolder(t)
  const { bytes } = await write(folder, ['one', 'two', 'three'])
  const path = join(folder, segmentName(1))
  for (const zeros of [0, 1, 4, 27, 28, 29, 4096]) {
    const padded = Buffer.concat([bytes, Buffer.alloc(zeros)])
    writeFileSync(path, padded)
    const { texts, warnings, next } = recover(folder)
    t.same([texts, warnings, next], [['one', 'two', 'three'], [], 4])
    t.ok(readFileSync(path).equals(padded))
  }
  const torn = Buffer.concat([bytes, Buffer.alloc(100), bytes.subarray(SEGMENT.BODY, SEGMENT.BODY + 30)])
  writeFileSync(path, Buffer.concat([torn, Buffer.alloc(1000)]))
  const { texts, warnings } = recover(folder)
  t.same(texts, ['one', 'two', 'three'])
  t.match(warnings, [/was not completed: .* is cut at byte \d+, 130 bytes are dropped/])
  t.equal(readFileSync(path).length, bytes.length)
})

t.test('a later segment goes on behind the zeros of an earlier one', async t => {
  const folder = temporaryFolder(t)
  const { bytes } = await write(folder, ['one', 'two'])
  await write(folder, ['three'], 3)
  t.ok(readFileSync(join(folder, segmentName(1))).length > bytes.length, 'there is room behind the first')
  t.same(recover(folder).texts, ['one', 'two', 'three'])
})

t.test('a group of effects comes back whole or not at all', async t => {
  const folder = temporaryFolder(t)
  const journal = openJournal(folder)
  record(journal, 'before')
  journal.begin(1)
  for (const text of ['a', 'b', 'c']) journal.addArguments(0, ['SET', 'k', text])
  journal.end()
  await committed(journal)
  await journal.close()
  const path = join(folder, segmentName(1))
  const padded = readFileSync(path)
  const bytes = padded.subarray(0, segmentEnd(padded))
  t.same(recover(folder).texts, ['before', 'a+b+c'])
  for (let cut = 1; cut < 100; cut++) {
    writeFileSync(path, bytes.subarray(0, bytes.length - cut))
    if (recover(folder).texts.join() !== 'before') t.fail(`cut by ${cut}`)
  }
})

t.test('a missing segment, and a missing record between segments, are refused', async t => {
  const folder = temporaryFolder(t)
  await write(folder, ['one', 'two'])
  const middle = await write(folder, ['three', 'four'], 3)
  await write(folder, ['five'], 5)
  t.same(recover(folder).texts, ['one', 'two', 'three', 'four', 'five'])
  writeFileSync(join(folder, segmentName(3)), middle.bytes.subarray(0, middle.starts[1]))
  t.throws(() => recover(folder), /lacks the records 4 to 4/)
  unlinkSync(join(folder, segmentName(3)))
  t.throws(() => recover(folder), /lacks the records 3 to 4/)
  unlinkSync(join(folder, segmentName(1)))
  t.throws(() => recover(folder), /lacks the records 1 to 4/)
  t.same(recover(folder, 5).texts, ['five'])
})

t.test(
  'a crash between a checkpoint and the deletion of its segments: they are deleted, their records not replayed',
  async t => {
    const folder = temporaryFolder(t)
    await write(folder, ['one', 'two'])
    await write(folder, ['three'], 3)
    t.same(recover(folder, 3).texts, ['three'])
    t.same(segmentsIn(folder), [segmentName(3)])
    t.same(recover(folder, 4), { records: [], texts: [], warnings: [], next: 4 })
  },
)

t.test('a position inside a segment: only what follows is replayed', async t => {
  const folder = temporaryFolder(t)
  await write(folder, ['one', 'two', 'three'])
  t.same(recover(folder, 2).texts, ['two', 'three'])
})

t.test('where a later segment begins an earlier one ends, whatever it holds', async t => {
  const folder = temporaryFolder(t)
  const { bytes, starts } = await write(folder, ['one', 'two', 'lost'])
  const damaged = Buffer.from(bytes)
  damaged.fill(0, starts[1] + 10)
  writeFileSync(join(folder, segmentName(1)), damaged)
  await write(folder, ['two again', 'three'], 2)
  t.same(recover(folder).texts, ['one', 'two again', 'three'])
})

t.test('a new segment whose header was not written completely is dropped with a warning', async t => {
  const folder = temporaryFolder(t)
  await write(folder, ['one'])
  writeFileSync(join(folder, segmentName(2)), 'MILL')
  const { texts, warnings, next } = recover(folder)
  t.same([texts, next, warnings.length], [['one'], 2, 1])
  t.same(segmentsIn(folder), [segmentName(1)])
})

t.test('a segment under a wrong name, and one of an unknown version, are refused', async t => {
  const folder = temporaryFolder(t)
  const { bytes } = await write(folder, ['one'])
  const renamed = temporaryFolder(t)
  cpSync(folder, renamed, { recursive: true })
  copyFileSync(join(folder, segmentName(1)), join(renamed, segmentName(2)))
  t.throws(() => recover(renamed, 2), /begins with record 1: it was renamed/)
  bytes.writeUInt32LE(2, SEGMENT.VERSION)
  bytes.writeUInt32LE(crc32c(bytes, 0, SEGMENT.CRC), SEGMENT.CRC)
  writeFileSync(join(folder, segmentName(1)), bytes)
  t.throws(
    () => recover(folder),
    new UsageError(
      `The journal segment ${join(folder, segmentName(1))} has format version 2; this program reads version 1.`,
    ),
  )
})

t.test('damage to records that no sync has covered is what a power cut does: cut there, with a warning', async t => {
  const folder = temporaryFolder(t)
  const { bytes, starts } = await write(folder, ['one', 'two', 'three'])
  const path = join(folder, segmentName(1))
  const damaged = Buffer.from(bytes)
  damaged[starts[1] + 10] ^= 1
  for (const [syncedTo, texts] of [
    [2, ['one']],
    [1, ['one']],
  ] as const) {
    writeFileSync(path, damaged)
    writeFileSync(join(folder, SYNC_MARK_NAME), encodeSyncMark(syncedTo))
    const result = recover(folder)
    t.same(result.texts, texts)
    t.match(result.warnings, [/did not all reach the device: .* is cut at byte \d+, .* No sync had covered them\.$/])
    t.same(recover(folder).warnings, [], 'mended')
    t.equal(readSyncMark(folder), 2, 'what was found is on the device now')
  }
  for (const mark of [
    encodeSyncMark(3),
    encodeSyncMark(4),
    encodeSyncMark(2).subarray(0, 19),
    flipped(encodeSyncMark(2)),
  ]) {
    writeFileSync(path, damaged)
    writeFileSync(join(folder, SYNC_MARK_NAME), mark)
    t.throws(() => recover(folder), { name: 'CorruptionError' }, 'covered by a sync, or unknown: refused')
  }
})

t.test('segments that are missing and no sync had covered are dropped with those behind them', async t => {
  const folder = temporaryFolder(t)
  await write(folder, ['one', 'two'])
  const other = temporaryFolder(t)
  await write(other, ['later'], 5)
  cpSync(join(other, segmentName(5)), join(folder, segmentName(5)))
  writeFileSync(join(folder, SYNC_MARK_NAME), encodeSyncMark(4))
  t.throws(() => recover(folder), { message: /lacks the records 3 to 4/ })
  writeFileSync(join(folder, SYNC_MARK_NAME), encodeSyncMark(3))
  const { texts, next } = recover(folder)
  t.same([texts, next], [['one', 'two'], 3])
  t.same(segmentsIn(folder), [segmentName(1)])
})

function flipped(bytes: Buffer): Buffer {
  bytes[9] ^= 1
  return bytes
}

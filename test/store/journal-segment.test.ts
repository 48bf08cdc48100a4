import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  decodeSegmentHeader,
  encodeSegmentHeader,
  listSegments,
  SEGMENT,
  segmentEnd,
  segmentName,
  systemFiles,
} from '../../src/store/journal-segment.js'
import { temporaryFolder } from './journal-fixture.js'

t.test('names sort as their numbers, and other files are passed over', async t => {
  const folder = temporaryFolder(t)
  const firsts = [900, 1, 1000, 2 ** 53 - 1]
  for (const first of firsts) writeFileSync(join(folder, segmentName(first)), '')
  for (const name of ['1.seg', `${segmentName(7)}.old`, 'README']) writeFileSync(join(folder, name), '')
  mkdirSync(join(folder, 'sub'))
  t.same(
    listSegments(folder).map(({ first }) => first),
    firsts.toSorted((a, b) => a - b),
  )
  t.equal(segmentName(1), '00000000000000000001.seg')
})

t.test('a header says its first record; with any byte wrong or missing it is none', async t => {
  const header = encodeSegmentHeader(2 ** 40 + 3)
  t.same(decodeSegmentHeader(header), { version: 1, first: 2 ** 40 + 3 })
  for (let at = 0; at < SEGMENT.BODY; at++) {
    const flipped = Buffer.from(header)
    flipped[at] ^= 2
    t.equal(decodeSegmentHeader(flipped), undefined, `byte ${at}`)
    t.equal(decodeSegmentHeader(header.subarray(0, at)), undefined, `${at} bytes`)
  }
})

t.test('the system’s files: made, headed, synced with their folder, removed; failure is thrown or told', async t => {
  const folder = join(temporaryFolder(t), 'journal')
  systemFiles.makeFolder(folder)
  systemFiles.makeFolder(folder)
  const path = join(folder, segmentName(1))
  const fd = systemFiles.create(path)
  systemFiles.writeHeader(fd, encodeSegmentHeader(1))
  t.same(readFileSync(path), encodeSegmentHeader(1))
  t.equal(await new Promise(resolve => systemFiles.sync(fd, resolve)), null)
  t.notOk(await new Promise(resolve => systemFiles.syncFolder(folder, resolve)))
  systemFiles.close(fd)
  systemFiles.remove(path)
  t.same(listSegments(folder), [])
  t.match(await new Promise(resolve => systemFiles.syncFolder(join(folder, 'none'), resolve)), { code: 'ENOENT' })
  t.throws(() => systemFiles.create(join(folder, 'none', 'x')), { code: 'ENOENT' })
  const readOnly = openSync(folder, 'r')
  t.throws(() => systemFiles.writeHeader(readOnly, encodeSegmentHeader(1)))
  closeSync(readOnly)
})

t.test('records end at the last byte that is not zero, however much room follows', async t => {
  const header = encodeSegmentHeader(1)
  for (const zeros of [0, 1, 1000, 262_143, 262_144, 262_145, 1_500_000]) {
    const bytes = Buffer.concat([header, Buffer.from('\0\0record\n'), Buffer.alloc(zeros)])
    t.equal(segmentEnd(bytes), SEGMENT.BODY + 9, `${zeros} zeros`)
    t.equal(segmentEnd(Buffer.concat([header, Buffer.alloc(zeros)])), SEGMENT.BODY)
  }
  t.equal(segmentEnd(header.subarray(0, 7)), 7, 'a header that is cut short is not looked into')
})

import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { crc32c } from '../../src/native/crc32c.js'
import { nativeWriteRecords, RECORD, reserveRoom, twinWriteRecords } from '../../src/native/journal-write.js'
import type { WriteRecords } from '../../src/native/journal-write.js'

function record(bodyBytes: number, fill: number): Buffer {
  const bytes = Buffer.alloc(RECORD.BODY + bodyBytes, fill)
  bytes.writeUInt32LE(bytes.length, RECORD.LENGTH)
  return bytes
}

function laws(t: Test, write: WriteRecords): void {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'file')
  const fd = openSync(path, 'w')
  const records = [record(0, 1), record(5, 2), record(1000, 3)]
  const bytes = Buffer.concat([...records, Buffer.from('spare capacity')])
  const length = bytes.length - 14
  t.equal(write(fd, bytes, length, 10), length)
  closeSync(fd)
  const file = readFileSync(path)
  t.equal(file.length, 10 + length, 'nothing behind the records is written')
  let at = 10
  for (const { length } of records) {
    t.equal(file.readUInt32LE(at + RECORD.CRC), crc32c(file, at + RECORD.SEQUENCE, at + length))
    at += length
  }
  t.equal(write(fd, bytes, length - 1, 0), -22, 'half a record is refused')
  t.equal(write(fd, bytes, length, 0), -9, 'a closed descriptor is EBADF')
  const full = openSync('/dev/full', 'w')
  t.equal(write(full, bytes, length, 0), -28, 'a full device is ENOSPC')
  closeSync(full)
}

t.test('the twin in TypeScript seals and writes', async t => laws(t, twinWriteRecords))

t.test('the addon seals and writes', async t => {
  t.ok(nativeWriteRecords, 'the addon is built')
  if (nativeWriteRecords) laws(t, nativeWriteRecords)
})

t.test('reserved room is part of the file, reads as zeros and leaves what is there alone', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'file')
  writeFileSync(path, 'records')
  const fd = openSync(path, 'r+')
  const failed = reserveRoom(fd, 4, 100_000)
  // EOPNOTSUPP: a file system may be unable to.
  if (failed === -95 || nativeWriteRecords === undefined) t.equal(readFileSync(path).length, 7)
  else {
    t.equal(failed, 0)
    t.same(readFileSync(path), Buffer.concat([Buffer.from('records'), Buffer.alloc(99_997)]))
  }
  closeSync(fd)
  if (nativeWriteRecords) t.equal(reserveRoom(fd, 0, 10), -9, 'a closed descriptor is EBADF')
})

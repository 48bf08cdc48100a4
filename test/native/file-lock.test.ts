import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { nativeLockFile } from '../../src/native/file-lock.js'

t.test('a locked file cannot be locked again until its descriptor is closed', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'lock')
  const first = openSync(path, 'w')
  const second = openSync(path, 'w')
  t.equal(nativeLockFile?.(first), 0)
  t.equal(nativeLockFile?.(second), -11)
  closeSync(first)
  t.equal(nativeLockFile?.(second), 0)
  closeSync(second)
  t.equal(nativeLockFile?.(second), -9)
})

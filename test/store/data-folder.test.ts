import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { UsageError } from '../../src/base/errors.js'
import { DataFolder } from '../../src/store/data-folder.js'
import { temporaryFolder } from './journal-fixture.js'

t.test('a new folder is made, formatted, and opened again', async t => {
  const path = join(temporaryFolder(t), 'deep', 'data')
  const folder = new DataFolder(path)
  t.same(readdirSync(path).sort(), ['FORMAT', 'LOCK', 'journal', 'store'])
  t.equal(readFileSync(join(path, 'FORMAT'), 'latin1'), 'millrace data folder, version 1\n')
  t.equal(folder.fileBytes, 0)
  folder.release()
  new DataFolder(path).release()
})

t.test('a folder with files of others is refused and nothing is written into it', async t => {
  const path = temporaryFolder(t)
  writeFileSync(join(path, 'letter.txt'), 'dear')
  t.throws(
    () => new DataFolder(path),
    new UsageError(`The folder ${path} is not empty and not a Millrace data folder (it holds "letter.txt").`),
  )
  t.same(readdirSync(path), ['letter.txt'])
})

t.test('a folder that the system lets nobody write to is refused with the reason', async t => {
  const path = join(temporaryFolder(t), 'data')
  new DataFolder(path).release()
  // In place of the lock file stands something that cannot be opened as one.
  rmSync(join(path, 'LOCK'))
  mkdirSync(join(path, 'LOCK'))
  t.throws(
    () => new DataFolder(path),
    new UsageError(`The data folder ${path} cannot be read and written: illegal operation on a directory (EISDIR).`),
  )
})

t.test('the empty root of a fresh file system is taken', async t => {
  const path = temporaryFolder(t)
  mkdirSync(join(path, 'lost+found'))
  t.doesNotThrow(() => new DataFolder(path).release())
})

t.test('an unknown version, a FORMAT that is not ours, and a file in place of the folder are refused', async t => {
  const path = temporaryFolder(t)
  writeFileSync(join(path, 'FORMAT'), 'millrace data folder, version 2\n')
  t.throws(() => new DataFolder(path), /has format version 2; this program reads version 1\.$/)
  writeFileSync(join(path, 'FORMAT'), 'tar\n')
  t.throws(() => new DataFolder(path), /is not that of a Millrace data folder\.$/)
  t.throws(() => new DataFolder(join(path, 'FORMAT')), UsageError)
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { UsageError } from '../../src/base/errors.js'
import { FolderLock } from '../../src/store/lock.js'
import { temporaryFolder } from './journal-fixture.js'

t.test('a second server on the folder is refused, in this process and in another', async t => {
  const path = temporaryFolder(t)
  const folder = new FolderLock(path)
  t.throws(
    () => new FolderLock(path),
    new UsageError(`The data folder ${path} is in use by the process ${process.pid}.`),
  )
  folder.release()
  new FolderLock(path).release()
})

t.test('without the addon the process id in the file tells whether the lock is stale', async t => {
  const path = temporaryFolder(t)
  const start = readFileSync(`/proc/${process.ppid}/stat`, 'latin1').split(') ')[1].split(' ')[19]
  writeFileSync(join(path, 'LOCK'), `${process.ppid} ${start}\n`)
  t.throws(() => new FolderLock(path), /is in use by the process/)
  writeFileSync(join(path, 'LOCK'), `${process.ppid} 1\n`)
  t.doesNotThrow(() => new FolderLock(path).release(), 'the process id was used again by another process')
})

t.test('a killed server leaves no lock behind', async t => {
  const path = temporaryFolder(t)
  const source = new URL('../../src/store/lock.ts', import.meta.url).href
  const hold = `new m.FolderLock(${JSON.stringify(path)}); console.log('held')`
  const code = `import(${JSON.stringify(source)}).then(m => { ${hold} })`
  const loader = import.meta.resolve('tsx')
  const child = spawn(process.execPath, ['--import', loader, '-e', `${code}; setInterval(() => 0, 1000)`])
  await once(child.stdout, 'data')
  t.throws(() => new FolderLock(path), new UsageError(`The data folder ${path} is in use by the process ${child.pid}.`))
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  t.doesNotThrow(() => new FolderLock(path).release())
})

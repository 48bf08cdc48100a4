import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkJournal } from '../../src/admin/journal-check.js'
import { Journal } from '../../src/store/journal.js'
import { systemFiles } from '../../src/store/journal-segment.js'
import { createLog } from '../../src/base/log.js'
import { segmentsIn } from '../store/journal-fixture.js'
import { encodeCommand } from '../support/resp-client.js'
import type { Teardown } from '../support/temp-dir.js'
import { tempDir } from '../support/temp-dir.js'

/** A journal of these commands, a record each. */
async function journalOf(t: Teardown, commands: readonly (readonly string[])[], first = 1): Promise<string> {
  const folder = tempDir(t)
  const journal = new Journal({
    folder,
    policy: 'no',
    files: systemFiles,
    log: createLog('warning', { write: () => undefined }),
    nextSequence: first,
    segments: [],
    onRecordsLost: () => undefined,
  })
  for (const command of commands) {
    const bytes = encodeCommand(command)
    journal.begin(1)
    journal.add(0, bytes, 0, bytes.length)
    journal.end()
    await new Promise<void>(resolve => journal.commit(() => resolve()))
  }
  await journal.close()
  return folder
}

t.test('every effect must be a command of this version', async t => {
  const folder = await journalOf(t, [
    ['SET', 'a', '1'],
    ['NOSUCH', 'x'],
    ['SET', 'a'],
  ])
  const { findings, records, segments } = checkJournal(folder, () => 1, false)
  t.same(findings, [
    'journal record 2 holds a command that this version does not know: NOSUCH',
    'journal record 3 holds a command that this version does not know: SET',
  ])
  t.equal(records, 3)
  t.equal(segments, 1)
})

t.test('damage that good records follow is told, and the file stays', async t => {
  const folder = await journalOf(t, [
    ['SET', 'a', '1'],
    ['SET', 'a', '2'],
    ['SET', 'a', '3'],
  ])
  const path = join(folder, segmentsIn(folder)[0])
  const bytes = readFileSync(path)
  bytes[40] ^= 1
  writeFileSync(path, bytes)
  const { findings } = checkJournal(folder, () => 1, false)
  t.match(findings, [/is damaged at byte 24 \(record 1\), and good records follow/])
  t.ok(existsSync(path))
})

t.test('beside a server, a checkpoint that deletes segments meanwhile is no damage', async t => {
  const folder = await journalOf(t, [['SET', 'a', '1']], 5)
  // At the first look the segments before were there; they went before they were read.
  let looks = 0
  const position = () => (++looks === 1 ? 2 : 5)
  const report = checkJournal(folder, position, true)
  t.same(report.findings, [])
  t.equal(report.records, 1)
  t.match(checkJournal(folder, () => 2, true).findings, [/lacks the records 2 to 4/], 'without one it is')
})

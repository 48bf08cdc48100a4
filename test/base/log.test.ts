import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createLog, LOG_LEVELS, silentLog } from '../../src/base/log.js'

t.test('a line has process id, time, mark and message', async t => {
  const lines: string[] = []
  createLog('notice', { write: line => void lines.push(line) }).warning('the disk is full')
  t.match(lines, [
    new RegExp(`^${process.pid} \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z # the disk is full\\n$`),
  ])
})

t.test('what is below the level is dropped, and the level can be changed', async t => {
  const lines: string[] = []
  const log = createLog('notice', { write: line => void lines.push(line) })
  for (const level of LOG_LEVELS) log[level](level)
  t.equal(lines.length, 2)
  log.level = 'debug'
  t.equal(log.level, 'debug')
  for (const level of LOG_LEVELS) log[level](level)
  t.same(
    lines.map(line => line.trim().split(' ').slice(2).join(' ')),
    ['* notice', '# warning', '. debug', '- verbose', '* notice', '# warning'],
  )
})

t.test('lines can be JSON', async t => {
  const lines: string[] = []
  createLog('debug', { write: line => void lines.push(line) }, 'json').verbose('hello')
  t.match(JSON.parse(lines[0]), { level: 'verbose', msg: 'hello', pid: process.pid })
})

t.test('lines are appended to a file at once', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'log')
  createLog('notice', path).notice('one')
  createLog('notice', path).notice('two')
  t.match(readFileSync(path, 'latin1'), /\* one\n.*\* two\n$/)
})

t.test('the silent log says nothing', async t => {
  t.doesNotThrow(() => silentLog().warning('nobody hears this'))
})

// Every command of the table where the server keeps clients back: before authentication, in MONITOR, without memory,
// without the replicas that were asked for - the same bytes as redis-server - and while the journal cannot be written,
// where our own rule is: every row that writes is refused with the reason, every other row is not.

import t from 'tap'
import { commandTable } from '../../src/commands/all-commands.js'
import { Flag } from '../../src/commands/spec.js'
import { startInProcess } from '../support/in-process.js'
import { RespClient } from '../support/resp-client.js'
import { tempDir } from '../support/temp-dir.js'
import { runBatches } from './batch.js'
import { compareRows, startPair } from './sides.js'
import { after, plain, sentRows } from './states.js'

t.setTimeout(120_000)

const rows = sentRows(commandTable())

t.test('before authentication', async t => {
  const pair = await startPair(t)
  await pair.bothSay('CONFIG', 'SET', 'requirepass', 'secret')
  await compareRows(t, 'no password', await pair.connect(t), after([], [['AUTH', 'default', 'secret']]))
})

t.test('in MONITOR', async t => {
  const pair = await startPair(t)
  await compareRows(t, 'monitor', await pair.connect(t), after([['MONITOR']], [['RESET']]))
})

t.test('without the replicas that writes ask for', async t => {
  const pair = await startPair(t)
  await pair.bothSay('CONFIG', 'SET', 'min-replicas-to-write', '1')
  await compareRows(t, 'no replicas', await pair.connect(t), plain('nothing'))
})

t.test('without memory', async t => {
  const pair = await startPair(t)
  await pair.bothSay('SET', 'kept', 'x')
  await pair.bothSay('CONFIG', 'SET', 'maxmemory', '1')
  const { ours } = await pair.connect(t)
  while (!(await ours.text('SET', 'probe', 'x')).startsWith('-OOM')) continue
  await compareRows(t, 'full memory', await pair.connect(t), plain('nothing'))
})

t.test('while the journal cannot be written', async t => {
  const { server, port } = await startInProcess(t, tempDir(t))
  const client = await RespClient.connect(port)
  t.teardown(() => client.close())
  const batches = rows.map(plain('nothing'))
  // The rule is asked for a row alone: what a row calls inside has rules of its own.
  Object.defineProperty(server.durability, 'writeFault', { get: () => 'MISCONF the device is full' })
  const found = await runBatches(client, batches)
  for (const [i, { name, flags }] of rows.entries()) {
    const reply = found[i][batches[i].before.length].toString('latin1')
    const refused = reply === '-MISCONF the device is full\r\n'
    t.equal(refused, (flags & Flag.Write) !== 0, name)
  }
})

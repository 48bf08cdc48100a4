// Power cuts: what a server did to its files is recorded, operation by operation, and after every prefix of that record
// the power is cut: a server starts on what the device may hold then. `always` has everything that was acknowledged;
// `everysec` everything that a sync had covered; and the state is always that of a moment, compared with the model of
// the crash test. POWER_CUTS cuts for each policy (10, spread over the record; 'all' for every prefix).

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startInProcess } from '../support/in-process.js'
import { seeded } from '../support/seeded.js'
import { tempDir } from '../support/temp-dir.js'
import { RecordedJourneys } from './recorded-journeys.js'
import type { Mark } from './recorded-journeys.js'
import type { SimulatedDisk } from './simulated-disk.js'

t.setTimeout(7_200_000)
const CUTS = process.env.POWER_CUTS ?? '10'
const OPERATIONS = CUTS === 'all' ? 600 : 120
const CLIENTS = 2

for (const appendfsync of ['always', 'everysec'] as const) {
  t.test(`a power cut at any moment, appendfsync ${appendfsync}`, async t => {
    const rng = seeded()
    t.comment(`SEED=${rng.seed}`)
    const [folder, copies] = [tempDir(t), tempDir(t)]
    const recorded = new RecordedJourneys(rng, CLIENTS)
    const { disk, journeys, marks } = recorded
    disk.onRemove = () => disk.committed(folder, copies)
    const { server, connect } = await startInProcess(t, folder, { appendfsync }, undefined, { journalFiles: disk })
    const clients = await Promise.all(journeys.map(connect))
    const travels = journeys.map((journey, i) => journey.travel(clients[i]))
    const admin = await connect()
    while (disk.operations.length < OPERATIONS) {
      // Checkpoints in between, so that segments begin and go.
      const before = disk.operations.length
      await admin.text('SAVE')
      if (appendfsync === 'everysec') await admin.text('WAITAOF', 1, 0, 0)
      while (disk.operations.length < before + 10 + rng.below(20)) await new Promise(resolve => setTimeout(resolve, 1))
    }
    for (const client of clients) client.close()
    await Promise.all(travels)
    await server.close({ save: false })
    marks.push(recorded.now())

    const total = disk.operations.length
    const cuts = CUTS === 'all' ? total + 1 : Number(CUTS)
    for (let i = 0; i < cuts; i++) {
      const cut = CUTS === 'all' ? i : rng.below(total + 1)
      const place = join(copies, 'cut')
      mkdirSync(place)
      disk.afterCut(cut, rng, place)
      const floor = appendfsync === 'always' ? marks[cut] : markOfSync(recorded, cut)
      await recorded.verify(t, place, floor, marks[cut], `cut after operation ${cut} of ${total}`)
      rmSync(place, { recursive: true })
    }
  })
}

/** How far the journeys were when the last sync or checkpoint before the cut began. */
function markOfSync(recorded: RecordedJourneys, cut: number): Mark {
  const { disk, marks } = recorded
  for (let at = cut - 1; at >= 0; at--) {
    const operation = disk.operations[at]
    // The records are on the device when the folder's sync or the file's is over and the name is known to it.
    if (operation.kind === 'sync' && nameWasDurable(disk, operation.name, at)) return marks[operation.since]
  }
  return recorded.start()
}

function nameWasDurable(disk: SimulatedDisk, name: string, before: number): boolean {
  let made = -1
  for (let at = 0; at < before; at++) {
    const operation = disk.operations[at]
    if (operation.kind === 'create' && operation.name === name) made = at
    if (operation.kind === 'syncFolder' && made >= 0 && operation.since > made) return true
  }
  return false
}

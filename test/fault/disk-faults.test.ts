// A disk that fails while clients write, and power cuts on top: writes that got through in part, a full disk, syncs
// that fail and have lost what they were to bring to the device, files that can be neither made nor removed. While it
// lasts writes are refused with the reason and reads go on; afterwards all clients get on; and nothing acknowledged is
// lost, whatever moment the power is cut at: in `always` nothing at all, in `everysec` what no sync had covered.
// DISK_FAULTS faults for each policy (5) and as many cuts as POWER_CUTS says (10; 'all' for every operation).

import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Store } from '../../src/store/store.js'
import { startInProcess } from '../support/in-process.js'
import { seeded } from '../support/seeded.js'
import type { Seeded } from '../support/seeded.js'
import { tempDir } from '../support/temp-dir.js'
import { RecordedJourneys } from './recorded-journeys.js'
import type { Mark } from './recorded-journeys.js'
import type { FailingKind, SimulatedDisk } from './simulated-disk.js'

t.setTimeout(7_200_000)
const FAULTS = Number(process.env.DISK_FAULTS ?? 5)
const CUTS = process.env.POWER_CUTS ?? '10'
const CLIENTS = 3

/** What fails together: a full disk, a device with errors, a file system that went read-only. */
const FAULT_KINDS: readonly (readonly FailingKind[])[] = [
  ['write'],
  ['sync'],
  ['sync', 'write'],
  ['create', 'sync'],
  ['header', 'sync'],
  ['syncFolder'],
  ['create', 'remove', 'sync', 'write'],
]

/** Lets operations pass for a while, then fails some, and so on, `faults` times. */
class Schedule {
  faultsOver = 0
  /** What fails now, and how often more. */
  kinds: readonly FailingKind[] = []
  #failures = 0
  /** Operations until the next fault. */
  #calm = 20
  readonly #turns: (readonly FailingKind[])[] = []

  constructor(readonly rng: Seeded) {}

  fails(kind: FailingKind): boolean {
    if (this.#failures === 0) this.#begin()
    if (!this.kinds.includes(kind)) return false
    if (--this.#failures === 0) {
      this.kinds = []
      this.faultsOver++
      this.#calm = 10 + this.rng.below(30)
    }
    return true
  }

  #begin(): void {
    if (this.faultsOver >= FAULTS || this.#calm-- > 0) return
    // Each kind has its turn before one comes again.
    if (this.#turns.length === 0) this.#turns.push(...FAULT_KINDS)
    this.kinds = this.#turns.splice(this.rng.below(this.#turns.length), 1)[0]
    this.#failures = 1 + this.rng.below(3)
  }
}

for (const appendfsync of ['always', 'everysec'] as const) {
  t.test(`a disk that fails, and a power cut at any moment, appendfsync ${appendfsync}`, async t => {
    const rng = seeded()
    t.comment(`SEED=${rng.seed}`)
    const [folder, copies] = [tempDir(t), tempDir(t)]
    const recorded = new RecordedJourneys(rng, CLIENTS)
    const { disk, journeys, marks } = recorded
    const { server, connect, lines } = await startInProcess(t, folder, { appendfsync }, undefined, {
      journalFiles: disk,
    })
    noteCommits(disk, server.durability as Store, folder, copies)
    const schedule = new Schedule(rng)
    disk.fails = kind => schedule.fails(kind)

    const refusals = new Map<string, number>()
    const refused = (words: string) => void refusals.set(words, (refusals.get(words) ?? 0) + 1)
    const clients = await Promise.all(journeys.map(connect))
    const travels = journeys.map((journey, i) => journey.travelThroughFaults(clients[i], refused))
    const reader = await connect()
    let readsUnderFault = 0
    while (schedule.faultsOver < FAULTS) {
      const fault = server.durability.writeFault
      const reply = await reader.text('XLEN', 'stream:0')
      if (!/^:\d+\r\n$/.test(reply)) t.fail(`XLEN under '${fault}': ${reply}`)
      if (fault !== undefined && server.durability.writeFault !== undefined) readsUnderFault++
      // In `always` those who wrote before the fault are still waiting for it: somebody who comes later is refused.
      const probe = fault === undefined ? '+OK\r\n' : await reader.text('SET', 'probe', readsUnderFault)
      if (probe !== '+OK\r\n') refused(probe)
      // Checkpoints in between, so that segments begin and go; and syncs, whatever the policy.
      if (rng.chance(0.02)) await reader.command('BGSAVE')
      if (rng.chance(0.1)) server.durability.synced().catch(() => undefined)
      await new Promise(resolve => setTimeout(resolve, 3))
    }
    await t.resolves(server.durability.synced(), 'the last fault ends')
    const then = recorded.now()
    while (journeys.some((journey, i) => journey.acknowledged < then[i].acknowledged + 5)) {
      await new Promise(resolve => setTimeout(resolve, 2))
    }
    t.ok(readsUnderFault > 0, `${readsUnderFault} reads were answered while writes were refused`)
    const wrong = [...refusals.keys()].filter(words => !REFUSALS.test(words))
    t.same(wrong, [], 'each refusal says what failed and why')
    t.ok(refusals.size > 0, `writes were refused: ${JSON.stringify([...refusals])}`)
    t.match(lines.join(''), /Writes are refused until it works again\.[^]*The journal takes writes again\./)
    for (const client of clients) client.close()
    await Promise.all(travels)
    await server.close({ save: false })
    marks.push(recorded.now())
    await verifyFolder(folder, marks.at(-1)!, marks.at(-1)!, 'after the faults, without a power cut')

    const total = disk.operations.length
    const cuts = CUTS === 'all' ? total + 1 : Number(CUTS)
    for (let i = 0; i < cuts; i++) {
      const cut = CUTS === 'all' ? i : rng.below(total + 1)
      const place = join(copies, 'cut')
      mkdirSync(place)
      disk.afterCut(cut, rng, place)
      const floor = appendfsync === 'always' ? marks[cut] : safeMark(recorded, cut)
      await verifyFolder(place, floor, marks[cut], `cut after operation ${cut} of ${total}`)
    }

    /** Of a copy, for a server that is started there may change it. */
    async function verifyFolder(from: string, floor: Mark, now: Mark, when: string): Promise<void> {
      const place = join(copies, 'survivor')
      cpSync(from, place, { recursive: true })
      await recorded.verify(t, place, floor, now, when)
      rmSync(place, { recursive: true })
      if (from !== folder) rmSync(from, { recursive: true })
    }
  })
}

const REFUSALS = /^-(MISCONF Errors (writing to|syncing) the journal: .*\((ENOSPC|EIO|EROFS)\)|EXECABORT .*)\r\n$/

/**
 * Notes each commit of the store among the operations of the disk: before the first segment that it makes superfluous
 * is removed, or else when its rows begin to become clean, which is in the same turn.
 */
function noteCommits(disk: SimulatedDisk, store: Store, folder: string, copies: string): void {
  let noted = store.figures().checkpoints
  const note = (): void => {
    const { checkpoints } = store.figures()
    if (checkpoints === noted) return
    noted = checkpoints
    disk.committed(folder, copies)
  }
  const cleaned = store.cache.cleaned.bind(store.cache)
  store.cache.cleaned = () => {
    note()
    cleaned()
  }
  disk.onRemove = note
}

/**
 * How far the journeys were when the last sync began that had something to cover what was lost before, or the last
 * checkpoint: everything acknowledged then is on the device at the cut.
 */
function safeMark(recorded: RecordedJourneys, cut: number): Mark {
  const { disk, marks } = recorded
  let safe = recorded.start()
  let lost = false
  const named = new Set<string>()
  const made = new Map<string, number>()
  for (let at = 0; at < cut; at++) {
    const operation = disk.operations[at]
    if (operation.kind === 'create') {
      made.set(operation.name, at)
      named.delete(operation.name)
    } else if (operation.kind === 'syncFolder') {
      for (const [name, since] of made) if (since < operation.since) named.add(name)
    } else if (operation.kind === 'lost') lost = true
    else if (operation.kind === 'sync' && !lost && named.has(operation.name)) safe = marks[operation.since]
    else if (operation.kind === 'store') {
      // It holds what was executed before its cut: more than what the last sync covered, and all that was lost.
      lost = false
    }
  }
  return safe
}

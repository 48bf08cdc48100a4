// Journeys on a disk that remembers: how far each was when an operation of the disk was noted, and whether a folder
// that a fault or a power cut left holds a moment between two of these marks. Used by: power-cut, disk-faults.

import type { Test } from 'tap'
import { startInProcess } from '../support/in-process.js'
import type { Seeded } from '../support/seeded.js'
import { Journey } from './journey.js'
import { SimulatedDisk } from './simulated-disk.js'

/** How far each journey was: acknowledged, sent. */
export type Mark = readonly { readonly acknowledged: number; readonly sent: number }[]

export class RecordedJourneys {
  readonly disk = new SimulatedDisk()
  readonly journeys: readonly Journey[]
  /** By the number of operations noted before. */
  readonly marks: Mark[] = []
  readonly #seeds: readonly number[]

  constructor(rng: Seeded, clients: number) {
    this.#seeds = Array.from({ length: clients }, () => rng.below(2 ** 30))
    this.journeys = this.#seeds.map((seed, i) => new Journey(String(i), seed))
    this.disk.onOperation = () => void this.marks.push(this.now())
  }

  now(): Mark {
    return this.journeys.map(({ acknowledged, sent }) => ({ acknowledged, sent }))
  }

  /** What is known when nothing is. */
  start(): Mark {
    return this.journeys.map(() => ({ acknowledged: 0, sent: 0 }))
  }

  /** Starts a server on `folder`, which must hold at least `floor` and no more than what was sent at `now`. */
  async verify(t: Test, folder: string, floor: Mark, now: Mark, when: string): Promise<void> {
    const survivor = await startInProcess(t, folder)
    const client = await survivor.connect()
    for (const [i, seed] of this.#seeds.entries()) {
      const model = new Journey(String(i), seed)
      model.acknowledged = floor[i].acknowledged
      model.sent = now[i].sent
      t.equal(await model.verify(client), undefined, `${when}, client ${i}: a moment not before what is safe`)
    }
    await survivor.server.close({ save: false })
  }
}

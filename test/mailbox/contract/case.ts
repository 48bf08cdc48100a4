// A case of the contract: a sentence, and what proves it.

import type { Test } from 'tap'
import type { World } from './harness.js'

export interface Case {
  readonly name: string
  readonly retentionDays?: number
  readonly run: (t: Test, world: World) => Promise<void>
}

export function proves(name: string, run: Case['run'], retentionDays?: number): Case {
  return { name, run, retentionDays }
}

// Verifies the journal of a data folder as a start would read it, and that every effect is a command of this version;
// changes nothing. Beside a running server the tail may be in the middle of being written, and segments may vanish
// after a checkpoint: then it is looked at again. Used by: check.

import { CorruptionError } from '../base/errors.js'
import { commandTable } from '../commands/all-commands.js'
import { viewCommand } from '../exec/replay.js'
import { Request } from '../resp/request.js'
import type { JournalRecord } from '../store/journal-record.js'
import { recoverJournal } from '../store/recovery.js'
import type { Mending } from '../store/recovery.js'

export interface JournalReport {
  /** What stops a start. */
  readonly findings: readonly string[]
  /** What a start mends: a last write that was not completed. */
  readonly notes: readonly string[]
  /** Records behind the checkpoint. */
  readonly records: number
  readonly segments: number
}

const TRIES_MAX = 10
const NO_MENDING: Mending = { remove: () => undefined, cut: () => undefined, settle: () => undefined }

/**
 * @param position reads the checkpoint's position anew
 * @param inUse a server writes to it
 */
export function checkJournal(folder: string, position: () => number, inUse: boolean): JournalReport {
  for (let tries = 1; ; tries++) {
    const before = position()
    try {
      return readOnce(folder, before, inUse)
    } catch (error) {
      const moved = inUse && position() !== before && tries < TRIES_MAX
      if (moved) continue
      if (error instanceof CorruptionError) return { findings: [error.message], notes: [], records: 0, segments: 0 }
      throw error
    }
  }
}

function readOnce(folder: string, position: number, inUse: boolean): JournalReport {
  const findings: string[] = []
  const notes: string[] = []
  const request = new Request()
  const table = commandTable()
  const look = ({ sequence, effects }: JournalRecord): void => {
    for (const { bytes } of effects) {
      if (!viewCommand(request, bytes)) findings.push(`journal record ${sequence} holds something that is no command`)
      else if (!table.lookup(request)?.takes(request.argc)) {
        findings.push(`journal record ${sequence} holds a command that this version does not know: ${request.text(0)}`)
      }
    }
  }
  const log = { warning: (message: string) => void notes.push(message) }
  const { records, segments } = recoverJournal(folder, position, log, look, NO_MENDING)
  return { findings, notes: inUse ? [] : notes, records, segments: segments.length }
}

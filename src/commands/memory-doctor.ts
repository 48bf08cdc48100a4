// MEMORY DOCTOR: what an operator should know about memory and disk, and what would help. Looks at the figures that
// INFO and MEMORY STATS tell. Used by: memory.ts.

import { humanBytes } from './memory-figures.js'

/** Bytes, except where the name says otherwise. */
export interface DoctorFigures {
  readonly usedBytes: number
  readonly maxmemory: number
  readonly rssBytes: number
  /** What the process has without data and clients, about. */
  readonly baseBytes: number
  readonly clientsBytes: number
  readonly clients: number
  readonly luaBytes: number
  readonly cachedBytes: number
  readonly cacheBytesMax: number
  readonly coldReads: number
  readonly lookups: number
  readonly pinnedBytes: number
  readonly dirtyBytes: number
  readonly dirtyBytesDue: number
  readonly checkpointOk: boolean
  readonly writeFault: string | undefined
  readonly journalBytes: number
  readonly journalBytesDue: number
  readonly retiredObjects: number
  readonly fileBytes: number
  readonly reclaimableBytes: number
  readonly damagedPieces: number
}

const MIB = 1 << 20
/** Below it no share of anything is worth a word. */
const WORTH_BYTES = 64 * MIB
const RETIRED_MANY = 100_000
const LOOKUPS_MIN = 10_000

interface Finding {
  readonly when: (f: DoctorFigures) => boolean
  readonly says: (f: DoctorFigures) => string
}

const share = (part: number, whole: number): string => `${Math.round((part / whole) * 100)} %`

/** The gravest first. */
const FINDINGS: readonly Finding[] = [
  {
    when: f => f.writeFault !== undefined,
    says: f => `Writes are refused: ${f.writeFault}. Reads go on; make room or mend the device.`,
  },
  {
    when: f => f.damagedPieces > 0,
    says: f => `${f.damagedPieces} damaged rows were met. 'millrace check' names all there are, and what is lost.`,
  },
  {
    when: f => !f.checkpointOk,
    says: f =>
      `The last checkpoint failed: ${humanBytes(f.dirtyBytes)} of changes stay in memory and ` +
      `${humanBytes(f.journalBytes)} in the journal until one succeeds. The log has the reason.`,
  },
  {
    when: f => f.maxmemory > 0 && f.usedBytes > f.maxmemory * 0.95,
    says: f =>
      `${humanBytes(f.usedBytes)} of ${humanBytes(f.maxmemory)} (maxmemory) are in use: pages are dropped and ` +
      'read again, keys evicted or writes refused, as maxmemory-policy says.',
  },
  {
    when: f => f.dirtyBytesDue > 0 && f.dirtyBytes > 2 * f.dirtyBytesDue,
    says: f =>
      `${humanBytes(f.dirtyBytes)} of changes wait for a checkpoint that checkpoint-dirty-bytes begins at ` +
      `${humanBytes(f.dirtyBytesDue)}: the disk takes them more slowly than they come.`,
  },
  {
    when: f => f.journalBytesDue > 0 && f.journalBytes > 2 * f.journalBytesDue,
    says: f => `The journal has ${humanBytes(f.journalBytes)}: a start after a crash would replay that.`,
  },
  {
    when: f => f.lookups > LOOKUPS_MIN && f.coldReads > f.lookups / 4 && f.cachedBytes > f.cacheBytesMax * 0.9,
    says: f =>
      `${f.coldReads} reads of the disk for ${f.lookups} look-ups, and the page cache of ` +
      `${humanBytes(f.cacheBytesMax)} is full: what ` +
      'is in use is larger. More page-cache-bytes would help.',
  },
  {
    when: f => f.clientsBytes > WORTH_BYTES && f.clientsBytes > f.usedBytes / 4,
    says: f =>
      `${f.clients} clients hold ${humanBytes(f.clientsBytes)} (${share(f.clientsBytes, f.usedBytes)} of what is in ` +
      'use): see CLIENT LIST for tot-mem; maxmemory-clients bounds it.',
  },
  {
    when: f => f.pinnedBytes > WORTH_BYTES,
    says: f =>
      `Long replies to slow readers hold ${humanBytes(f.pinnedBytes)} of pages that have changed since; ` +
      'reply-stall-timeout ends those that take nothing.',
  },
  {
    when: f => f.luaBytes > WORTH_BYTES,
    says: f => `Lua holds ${humanBytes(f.luaBytes)}: SCRIPT FLUSH, or scripts that keep less, would give it back.`,
  },
  {
    when: f => f.rssBytes > WORTH_BYTES + f.baseBytes + 2 * f.usedBytes,
    says: f =>
      `${humanBytes(f.rssBytes)} are resident for ${humanBytes(f.usedBytes)} in use: after a peak, garbage and ` +
      'free memory of the allocator, which are used again first.',
  },
  {
    when: f => f.retiredObjects > RETIRED_MANY,
    says: f => `${f.retiredObjects} dropped objects are still being deleted in the background.`,
  },
  {
    when: f => f.reclaimableBytes > WORTH_BYTES && f.reclaimableBytes > f.fileBytes / 2,
    says: f =>
      `${share(f.reclaimableBytes, f.fileBytes)} of the store's file (${humanBytes(f.reclaimableBytes)}) are free ` +
      "pages, which the next checkpoints use; 'millrace backup' writes a file without them.",
  },
]

/** Sentences, one a line. */
export function diagnosis(figures: DoctorFigures): string {
  const said = FINDINGS.filter(({ when }) => when(figures)).map(({ says }) => says(figures))
  if (said.length === 0) {
    const { usedBytes, rssBytes, cachedBytes, cacheBytesMax } = figures
    const cache = `${humanBytes(cachedBytes)} of ${humanBytes(cacheBytesMax)} page cache`
    return `Nothing stands out: ${humanBytes(usedBytes)} in use, ${humanBytes(rssBytes)} resident, ${cache}.\n`
  }
  return said.map(sentence => `* ${sentence}\n`).join('')
}

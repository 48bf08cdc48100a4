// The common delivery: all IDs are above those pending, so both trees of a PEL grow at their ends, by records that
// differ in their IDs only. Used by: pel.

import { getId, STREAM_ID_BYTES } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { OrderedPages } from '../../pages/ordered-pages.js'
import { RECORD_BODY_BYTES_MAX } from '../../pages/record-page.js'
import type { RecordPage } from '../../pages/record-page.js'
import type { EntryRun } from './entry-run.js'
import { PEL_RECORD_BYTES, putPelRecord } from './pel-record.js'

type RecordTree = OrderedPages<StreamId, RecordPage>

/**
 * Appends the entries of `runs`, ascending, each delivered once, at `nowMs`, to a group's tree and to that of the
 * consumer with this number. The last page of both is in memory.
 */
export function appendDelivery(
  tree: RecordTree,
  owned: RecordTree,
  runs: readonly EntryRun[],
  nowMs: number,
  consumer: number,
): void {
  let entries = 0
  for (const run of runs) entries += run.entries
  reserveScratch(entries)
  putPelRecord(records, STREAM_ID_BYTES, nowMs, 1, consumer)
  repeatFirstRecord(entries)
  let done = 0
  for (const run of runs) {
    const index = run.page.index()
    index.putIds(run.index, run.entries, recordsView, done * PEL_RECORD_BYTES, PEL_RECORD_BYTES)
    index.putIds(run.index, run.entries, idsView, done * STREAM_ID_BYTES, STREAM_ID_BYTES)
    done += run.entries
  }
  appendRecords(tree, records, entries, PEL_RECORD_BYTES, nowMs)
  appendRecords(owned, ids, entries, STREAM_ID_BYTES, 0)
}

// What appendDelivery() builds; kept, because a delivery is the hottest of all writes.
const SCRATCH_RECORDS = 1024
let records: Buffer = Buffer.allocUnsafeSlow(0)
let recordsView = new DataView(records.buffer)
let idsView = new DataView(records.buffer)
let ids: Buffer = records

function reserveScratch(entries: number): void {
  const enough = records.length >= entries * PEL_RECORD_BYTES
  const tooLarge = records.length > SCRATCH_RECORDS * PEL_RECORD_BYTES && entries <= SCRATCH_RECORDS
  if (enough && !tooLarge) return
  records = Buffer.allocUnsafeSlow(Math.max(entries, SCRATCH_RECORDS) * PEL_RECORD_BYTES)
  ids = Buffer.allocUnsafeSlow(Math.max(entries, SCRATCH_RECORDS) * STREAM_ID_BYTES)
  recordsView = new DataView(records.buffer)
  idsView = new DataView(ids.buffer)
}

/** All records of a delivery differ in their IDs only. */
function repeatFirstRecord(entries: number): void {
  const end = entries * PEL_RECORD_BYTES
  for (let filled = PEL_RECORD_BYTES; filled < end; filled *= 2) {
    records.copyWithin(filled, 0, Math.min(filled, end - filled))
  }
}

/** Appends `count` records, ascending and above all in `tree`, page by page; `summary` is a bound for all of them. */
function appendRecords(tree: RecordTree, source: Buffer, count: number, recordBytes: number, summary: number): void {
  const perPage = Math.floor(RECORD_BODY_BYTES_MAX / recordBytes)
  let done = 0
  while (done < count) {
    const at = done * recordBytes
    let node = tree.last()
    if (node === undefined || node.count >= perPage) node = tree.appendNode(getId(source, at))
    const page = tree.willChange(node)
    const run = Math.min(count - done, perPage - page.count)
    page.insertRun(source, at, run, summary)
    tree.changed(node)
    done += run
  }
}

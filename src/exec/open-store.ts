// Opens the store as the configuration says. Used by: server.ts, at a start and for a reload.

import type { Config } from '../base/config.js'
import { Store } from '../store/store.js'
import type { StoreOptions } from '../store/store.js'

/**
 * @param parts what the configuration does not say
 * @param dirtyBytesMax changed bytes that start a checkpoint
 * @throws UsageError, CorruptionError
 */
export function openStore(
  { values }: Config,
  parts: Pick<StoreOptions, 'log' | 'clock' | 'onCut' | 'onRelieved' | 'took' | 'journalFiles'>,
  dirtyBytesMax: number,
): Store {
  const store = Store.open({
    ...parts,
    folder: values.dir,
    fsync: values.appendfsync,
    cacheBytesMax: values.pageCacheBytes,
  })
  store.triggers.intervalMs = values.checkpointInterval * 1000
  store.triggers.dirtyBytes = dirtyBytesMax
  store.triggers.journalBytes = values.journalMaxBytes
  store.triggers.replayRecords = values.checkpointReplayRecords
  return store
}

// The commands a client queues between MULTI and EXEC. Each is checked when it is queued; they run at EXEC, see
// executor.

import type { TableRow } from '../commands/table.js'
import type { Request } from '../resp/request.js'

export interface QueuedCommand {
  readonly row: TableRow
  readonly request: Request
}

export class TransactionQueue {
  readonly commands: QueuedCommand[] = []
  /** Flags of all queued commands together. */
  flags = 0
  /** Bytes of the queued requests. */
  bytes = 0
  /** A command was refused when it was to be queued: EXEC runs nothing. */
  aborted = false

  /**
   * @param request copied: it outlives the connection's buffer
   * @param flags those of the row, or of the script that it runs
   */
  add(row: TableRow, request: Request, flags = row.flags): void {
    const copy = request.detach()
    this.commands.push({ row, request: copy })
    this.flags |= flags
    this.bytes += copy.to - copy.from
  }
}

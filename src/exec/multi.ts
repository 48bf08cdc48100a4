// The commands a client queues between MULTI and EXEC. Each is checked when it is queued; they run at EXEC, see
// executor.

import { isAllocationFailure } from '../base/allocation.js'
import { replyErrors } from '../base/errors.js'
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
   * @returns why it cannot be queued; undefined when it is
   */
  add(row: TableRow, request: Request, flags = row.flags): string | undefined {
    let copy: Request
    try {
      copy = request.detach()
    } catch (error) {
      if (isAllocationFailure(error)) return replyErrors.noMemory
      throw error
    }
    this.commands.push({ row, request: copy })
    this.flags |= flags
    this.bytes += copy.to - copy.from
    return undefined
  }
}

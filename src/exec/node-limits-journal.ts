// Journals the limits of stream nodes where a replay needs them: before the first effect after a start, after each cut
// (a replay may begin there), and after each change of the configuration. See commands/node-limits.

import { journaledLimits, NODE_LIMITS_COMMAND } from '../commands/node-limits.js'
import type { LimitValues } from '../commands/node-limits.js'
import type { EffectArgument } from './context.js'

export class NodeLimitsJournal {
  readonly #values: LimitValues
  #due = true

  /** @param values the live configuration */
  constructor(values: LimitValues) {
    this.#values = values
  }

  /** The next record must carry the limits. */
  makeDue(): void {
    this.#due = true
  }

  /** What the record about to be opened begins with, if anything; then it counts as journaled. */
  take(): readonly EffectArgument[] | undefined {
    if (!this.#due) return undefined
    this.#due = false
    return [NODE_LIMITS_COMMAND, ...journaledLimits(this.#values)]
  }
}

// Damaged data that commands met: the command is refused by the name of what is damaged and of the keys it was asked
// for, and everything else goes on. Each piece is logged once and counted for INFO. Used by: server.ts, for the
// executor.

import type { CorruptionError } from '../base/errors.js'
import type { Log } from '../base/log.js'
import { keysOf } from '../commands/table.js'
import type { CommandTable } from '../commands/table.js'
import type { Request } from '../resp/request.js'

/** More pieces than these are counted no further: they would only fill the memory. */
const PIECES_MAX = 10_000
const KEYS_NAMED_MAX = 5
const KEY_CHARACTERS_MAX = 100

export class Damages {
  readonly #table: Pick<CommandTable, 'lookup'>
  readonly #log: Pick<Log, 'warning'>
  /** Messages of the errors met. */
  readonly #pieces = new Set<string>()
  #refusals = 0

  constructor(table: Pick<CommandTable, 'lookup'>, log: Pick<Log, 'warning'>) {
    this.#table = table
    this.#log = log
  }

  /** Notes a refusal and gives the text of its reply. @param request undefined when it is not known any more */
  refuse({ message }: CorruptionError, doing: string, request: Request | undefined): string {
    this.#refusals++
    const keys = this.#keysIn(request)
    if (!this.#pieces.has(message) && this.#pieces.size < PIECES_MAX) {
      this.#pieces.add(message)
      this.#log.warning(`'${doing}' met damaged data and was refused${keys}: ${message}`)
    }
    return `CORRUPT ${message}${keys}`
  }

  #keysIn(request: Request | undefined): string {
    const row = request === undefined || request.argc === 0 ? undefined : this.#table.lookup(request)
    if (request === undefined || row === undefined) return ''
    const names = new Set((keysOf(row.spec, request) ?? []).map(at => shown(request.text(at))))
    if (names.size === 0) return ''
    const named = [...names].slice(0, KEYS_NAMED_MAX).join(', ')
    return ` (${names.size === 1 ? 'key' : 'one of the keys'} ${named}${names.size > KEYS_NAMED_MAX ? ', …' : ''})`
  }

  infoFields(): Record<string, number> {
    return { damaged_pieces: this.#pieces.size, damage_refusals: this.#refusals }
  }
}

/** In an error reply, which is one line of text. */
function shown(name: string): string {
  return `'${name.slice(0, KEY_CHARACTERS_MAX).replace(/[^\x20-\x7e]/g, '.')}'`
}

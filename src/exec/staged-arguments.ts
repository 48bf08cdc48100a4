// Puts long arguments together again whose bytes the journal has in parts, see commands/staged. Used by: replay.
// Neighbour: large-requests, which writes them.

import { PIECE_BYTES } from '../base/allocation.js'
import { STAGED_COMMAND } from '../commands/staged.js'
import { LargeArgument } from '../resp/large-argument.js'
import type { StagedMark } from '../resp/large-argument.js'
import { LargeRequest } from '../resp/large-request.js'
import { requestOf } from '../resp/request.js'
import type { Request } from '../resp/request.js'

type Argument = Buffer | string | number | bigint

/**
 * A command as it is journaled: where arguments in pieces are in the journal already it refers to them, else it has
 * them whole. @param cuts of the store until now
 */
export function journaledForm(args: readonly (Argument | LargeArgument)[], cuts: number | undefined): Argument[] {
  const marks: { mark: StagedMark; index: number }[] = []
  args.forEach((arg, index) => {
    if (arg instanceof LargeArgument && arg.staged !== undefined && arg.staged.cuts === cuts) {
      marks.push({ mark: arg.staged, index })
    }
  })
  const left = (arg: LargeArgument) => (arg.staged !== undefined && arg.staged.cuts === cuts ? '' : arg.whole())
  const own = args.map(arg => (arg instanceof LargeArgument ? left(arg) : arg))
  if (marks.length === 0) return own
  return [STAGED_COMMAND, marks.length, ...marks.flatMap(({ mark, index }) => [mark.id, index]), ...own]
}

/** The arguments of a request, those in pieces as they are. */
export function argumentsOf(request: Request): (Buffer | LargeArgument)[] {
  return Array.from({ length: request.argc }, (_, i) => request.large?.get(i) ?? request.bytes(i))
}

export class StagedArguments {
  readonly #pieces = new Map<number, Buffer[]>()

  /** STAGE. False when what came before is missing. */
  take(request: Request): boolean {
    const [id, first] = [Number(request.text(1)), Number(request.text(2))]
    // A number may have been used before a start, for something that was never referred to.
    if (first === 0) this.#pieces.set(id, [])
    const pieces = this.#pieces.get(id)
    if (pieces === undefined || pieces.length !== first) return false
    for (let i = 3; i < request.argc; i++) pieces.push(request.copy(i))
    return true
  }

  /** The command that STAGED stands for; undefined when it refers to what did not come. */
  command(request: Request): Request | undefined {
    const count = Number(request.text(1))
    const from = 2 + 2 * count
    if (!(count > 0) || from >= request.argc) return undefined
    const large = new Map<number, LargeArgument>()
    for (let i = 0; i < count; i++) {
      const id = Number(request.text(2 + 2 * i))
      const pieces = this.#pieces.get(id)
      const index = Number(request.text(3 + 2 * i))
      if (pieces === undefined || !(index < request.argc - from)) return undefined
      this.#pieces.delete(id)
      large.set(index, joined(pieces))
    }
    const own = Array.from({ length: request.argc - from }, (_, i) => request.bytes(from + i))
    return new LargeRequest(requestOf(own), large)
  }
}

function joined(pieces: readonly Buffer[]): LargeArgument {
  const length = (pieces.length - 1) * PIECE_BYTES + pieces[pieces.length - 1].length
  const argument = new LargeArgument(length)
  argument.pieces.push(...pieces)
  argument.received = length
  return argument
}

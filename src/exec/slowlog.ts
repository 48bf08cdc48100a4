// SLOWLOG: the last commands that took longer than slowlog-log-slower-than. Arguments are shortened as Redis does, so
// an entry never holds a large value.

import type { Slowlog, SlowlogEntry } from '../commands/server.js'
import type { Request } from '../resp/request.js'
import { REDACTED } from './monitors.js'

const ARGUMENTS_MAX = 32
const ARGUMENT_BYTES_MAX = 128

export class SlowlogList implements Slowlog {
  /** Newest first. */
  readonly entries: SlowlogEntry[] = []
  /** slowlog-log-slower-than in microseconds; negative switches it off, 0 logs everything. */
  slowerThanUs = 10_000
  #lengthMax = 128
  #nextId = 0

  /** slowlog-max-len. */
  get lengthMax(): number {
    return this.#lengthMax
  }
  set lengthMax(max: number) {
    this.#lengthMax = max
    if (this.entries.length > max) this.entries.length = max
  }

  /**
   * @param nowMs Unix time of the command
   * @param secrets indices of arguments that must not be shown
   */
  add(
    request: Request,
    durationUs: number,
    nowMs: number,
    client: { address: string; name: string },
    secrets: readonly number[] = [],
  ): void {
    this.entries.unshift({
      id: this.#nextId++,
      timeS: Math.floor(nowMs / 1000),
      durationUs: Math.floor(durationUs),
      args: shortenedArguments(request, secrets),
      address: client.address,
      name: client.name,
    })
    if (this.entries.length > this.#lengthMax) this.entries.length = this.#lengthMax
  }

  reset(): void {
    this.entries.length = 0
  }
}

function shortenedArguments(request: Request, secrets: readonly number[]): Buffer[] {
  const shown = Math.min(request.argc, ARGUMENTS_MAX)
  const args: Buffer[] = []
  for (let i = 0; i < shown; i++) {
    if (shown < request.argc && i === shown - 1) {
      args.push(Buffer.from(`... (${request.argc - shown + 1} more arguments)`))
      continue
    }
    if (secrets.includes(i)) {
      args.push(Buffer.from(REDACTED))
      continue
    }
    // Of one in pieces the first is enough to show.
    const bytes = request.large?.get(i)?.pieces[0] ?? request.bytes(i)
    const cut = request.lengths[i] - ARGUMENT_BYTES_MAX
    if (cut <= 0) args.push(Buffer.from(bytes))
    else args.push(Buffer.concat([bytes.subarray(0, ARGUMENT_BYTES_MAX), Buffer.from(`... (${cut} more bytes)`)]))
  }
  return args
}

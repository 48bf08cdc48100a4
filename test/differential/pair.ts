// Two servers that get the same commands. Finds the first command they answer differently and the fewest commands
// before it that are needed for that.

import { encodeCommand, RespClient } from '../support/resp-client.js'
import type { Argument, Command } from './generator.js'
import { ReplyView } from './reply-view.js'

export interface Difference {
  /** Index of the command in the run. */
  readonly at: number
  readonly command: Command
  readonly reference: string
  readonly ours: string
}

/** Commands sent in one piece; replies are compared afterwards. */
const BATCH = 64

export class Pair {
  private constructor(
    readonly reference: RespClient,
    readonly ours: RespClient,
  ) {}

  static async connect(referencePort: number, oursPort: number, protocol: 2 | 3): Promise<Pair> {
    const pair = new Pair(await RespClient.connect(referencePort), await RespClient.connect(oursPort))
    if (protocol === 3) await pair.#both([['HELLO', '3']])
    return pair
  }

  close(): void {
    this.reference.close()
    this.ours.close()
  }

  /** Empties both and runs `commands` until the first difference. */
  async run(commands: readonly Command[], progress?: (done: number) => void): Promise<Difference | undefined> {
    await this.#both([['DISCARD'], ['FLUSHALL'], ['SELECT', 0]])
    const view = new ReplyView()
    for (let from = 0; from < commands.length; from += BATCH) {
      const batch = commands.slice(from, from + BATCH)
      const [reference, ours] = await this.#both(batch, preludeOf)
      for (let i = 0; i < batch.length; i++) {
        const a = view.textOf(batch[i], reference[i])
        const b = view.textOf(batch[i], ours[i])
        view.follow(batch[i], reference[i])
        if (a !== b) return { at: from + i, command: batch[i], reference: a, ours: b }
      }
      progress?.(from + batch.length)
    }
    return undefined
  }

  /** The shortest sequence found that still ends in a difference: halves, then single commands are left out. */
  async shorten(
    commands: readonly Command[],
    first: Difference,
  ): Promise<{ commands: Command[]; difference: Difference }> {
    let best = commands.slice(0, first.at + 1)
    let difference = first
    for (let size = best.length >> 1; size >= 1; size >>= 1) {
      for (let from = 0; from < best.length - 1;) {
        const tried = best.toSpliced(from, Math.min(size, best.length - 1 - from))
        const found = await this.run(tried)
        if (found) {
          best = tried.slice(0, found.at + 1)
          difference = found
        } else from += size
      }
    }
    return { commands: best, difference }
  }

  /**
   * The replies of both to `commands`; what `before` puts in front of a command is sent too, its replies are dropped.
   */
  async #both(commands: readonly Command[], before?: (command: Command) => Command[]): Promise<[Buffer[], Buffer[]]> {
    const preludes = commands.map(command => before?.(command) ?? [])
    const bytes = Buffer.concat(commands.flatMap((command, i) => [...preludes[i], command].map(encodeCommand)))
    const ask = async (client: RespClient) => {
      client.send(bytes)
      const replies = await Promise.all(commands.flatMap((_, i) => [...preludes[i], 0].map(() => client.reply())))
      let at = -1
      return commands.map((_, i) => replies[(at += preludes[i].length + 1)])
    }
    return Promise.all([ask(this.reference), ask(this.ours)])
  }
}

/**
 * What is sent before a command. SORT in Redis 7.0 takes an error number that an earlier command left behind (an ID
 * beyond 64 bits, say) for a weight that is no number; reading a score clears it.
 */
function preludeOf(command: Command): Command[] {
  const name = String(command[0]).toUpperCase()
  return name === 'SORT' || name === 'SORT_RO' ? [['ZADD', 'none', 'XX', 1, 'm']] : consumersFirst(command)
}

/**
 * Redis 7.2 makes a consumer at its first call, 7.0 at its first entry. With the consumers that a command names made
 * before it, both are in the same state.
 */
export function consumersFirst(command: Command): Command[] {
  const make = (key: Argument, group: Argument, consumer: Argument) => [
    'XGROUP',
    'CREATECONSUMER',
    key,
    group,
    consumer,
  ]
  const [first, key, group, consumer] = command
  const name = String(first).toUpperCase()
  if ((name === 'XCLAIM' || name === 'XAUTOCLAIM') && command.length > 3) return [make(key, group, consumer)]
  if (name !== 'XREADGROUP') return []
  const words = command.map(word => String(word).toUpperCase())
  const at = words.indexOf('GROUP')
  const streams = words.indexOf('STREAMS')
  if (at < 0 || at + 2 >= command.length || streams < 0) return []
  return command.slice(streams + 1).map(stream => make(stream, command[at + 1], command[at + 2]))
}

/** The commands as one would type them, binary as \xNN. */
export function listing(commands: readonly Command[]): string {
  const word = (argument: Command[number]) => {
    const text = Buffer.isBuffer(argument) ? argument.toString('latin1') : String(argument)
    return /^[\w.:$*~=()+>-]+$/.test(text) ? text : JSON.stringify(text)
  }
  return commands.map(command => command.map(word).join(' ')).join('\n')
}

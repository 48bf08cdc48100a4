// The replies of a sequence of commands as comparable text: as normalise.ts has them one by one, and what stands inside
// the reply of EXEC or of a script likewise.

import { isHelp, VARYING } from '../matrix/exceptions.js'
import { splitReplies } from '../matrix/batch.js'
import type { Command } from './generator.js'
import { comparable } from './normalise.js'

const QUEUED = '+QUEUED\r\n'

export class ReplyView {
  /** Commands between MULTI and EXEC. */
  #queued: Command[] = []

  textOf(command: Command, reply: Buffer): string {
    const name = String(command[0]).toUpperCase()
    if (name === 'EXEC' && reply[0] === ARRAY && reply.toString('latin1', 0, 2) !== '*-') {
      const inside = splitReplies(reply.subarray(reply.indexOf('\r\n') + 2))
      return inside.map((one, i) => this.#single(this.#queued[i] ?? [], one)).join('\n')
    }
    if (name === 'EVAL' && String(command[1]).includes('pcall')) return this.#single(command.slice(3), reply)
    return this.#single(command, reply)
  }

  /** Goes on behind a command that the reference answered. */
  follow(command: Command, reply: Buffer): void {
    if (reply.toString('latin1') === QUEUED) this.#queued.push(command)
    else if (/^(MULTI|EXEC|DISCARD)$/i.test(String(command[0]))) this.#queued = []
  }

  #single(command: Command, reply: Buffer): string {
    const [first = '', second = ''] = command.map(word => String(word).toLowerCase())
    const [name, sub] = [first, `${first}|${second}`]
    if (name === 'dbsize' || reply[0] === ERROR || reply[0] === STATUS) return comparable(command, reply)
    if (VARYING.has(name) || VARYING.has(sub) || isHelp(sub)) return `any ${String.fromCharCode(reply[0])}`
    return comparable(command, reply)
  }
}

const ERROR = 45
const STATUS = 43
const ARRAY = 42

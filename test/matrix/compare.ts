// Two servers' replies to one cell, made comparable.

import { comparable } from '../differential/normalise.js'
import type { Batch } from './batch.js'
import { isHelp, LATER, VARYING } from './exceptions.js'

/** Comparable text of all replies to a cell; `from` is the cell as it was asked. */
export function cellText(batch: Batch, replies: readonly Buffer[]): string {
  const asked = [...batch.before, batch.command, ...batch.after]
  const answers = replies.filter(reply => !MONITOR_LINE.test(reply.toString('latin1')))
  const texts = answers.map((reply, i) => replyText(batch, asked[i] ?? [], reply))
  if (!LATER.has(batch.name)) texts.push(...replies.flatMap(monitored))
  return texts.join('\n')
}

const MONITOR_LINE = /^\+\d+\.\d+ \[(\d+) [^\]]+\](.*)/

/** A line of MONITOR without time and address. */
function monitored(reply: Buffer): string[] {
  const line = MONITOR_LINE.exec(reply.toString('latin1'))
  return line === null ? [] : [`[${line[1]}]${line[2]}`]
}

function replyText(batch: Batch, asked: Batch['command'], reply: Buffer): string {
  const name = String(asked[0]).toUpperCase()
  if (name === 'EXEC' && reply.toString('latin1', 0, 4) === '*1\r\n') {
    return `in EXEC: ${replyText(batch, batch.command, reply.subarray(4))}`
  }
  // What the cell before it left, which may be the work of a stand-in.
  if (name === 'DEL' && asked !== batch.command && reply[0] === INTEGER) return 'emptied'
  if (name === 'HELLO' && reply[0] !== ERROR) return 'greeted'
  if (asked !== batch.command || reply[0] === STATUS || reply[0] === ERROR) {
    return SAVES.has(batch.name) && SAVED.test(reply.toString('latin1')) ? 'saved' : reply.toString('latin1')
  }
  if (LATER.has(batch.name)) return 'answered'
  if (VARYING.has(batch.name) || isHelp(batch.name)) return `any ${String.fromCharCode(reply[0])}`
  return comparable([...innerCommand(asked)], reply)
}

const INTEGER = 58
const STATUS = 43
const ERROR = 45
/** Whether a save of an earlier cell is still running is a matter of time. */
const SAVES = new Set(['save', 'bgsave', 'bgrewriteaof'])
const SAVED = /^(\+OK|\+Background (saving|append)|-ERR .*(already in progress|Another child process))/

/** What a script calls is compared as if it had been called. */
function innerCommand(asked: Batch['command']): Batch['command'] {
  return String(asked[0]) === 'EVAL' && String(asked[1]).includes('pcall') ? asked.slice(3) : asked
}

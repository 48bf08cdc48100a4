// The odd states in which every command of the table is tried. Each builds the batch of a row.

import type { CommandTable, TableRow } from '../../src/commands/table.js'
import { requestOfRow } from '../support/row-request.js'
import type { Batch, Words } from './batch.js'
import { UNSENT } from './exceptions.js'

/** A value of each type under `key`, with members that the rows' arguments meet. */
export const VALUES: Readonly<Record<string, (key: string) => Words[]>> = {
  nothing: () => [],
  string: key => [['SET', key, '5']],
  list: key => [['RPUSH', key, '1', '2', '3']],
  hash: key => [['HSET', key, '1', '1', 'f', '7']],
  set: key => [['SADD', key, '1', '7']],
  zset: key => [['ZADD', key, '1', '1', '2', 'm']],
  stream: key => [
    ['XADD', key, '1-1', 'f', 'v'],
    ['XGROUP', 'CREATE', key, 'g', '0'],
  ],
}

export type MakeBatch = (row: TableRow) => Batch

const keyName = (n: number): string => `key${n}`

/** Rows that clients may send, without the containers. */
export function sentRows(table: CommandTable): TableRow[] {
  return table.rows.filter(row => row.children === undefined && !UNSENT.has(row.name))
}

/** Empties the keys and gives each key of the request a value of `type`. */
function prepared(row: TableRow, type: string): { before: Words[]; command: Words } {
  const { words, keys } = requestOfRow(row, keyName)
  const before: Words[] = [['RESET'], ['DEL', ...Array.from({ length: 3 }, (_, n) => keyName(n))]]
  for (let n = 0; n < keys.length; n++) before.push(...VALUES[type](keyName(n)))
  return { before, command: words }
}

/** As it comes, with values of `type` at its keys. */
export function plain(type: string): MakeBatch {
  return row => ({ name: row.name, ...prepared(row, type), after: [['RESET']] })
}

/** The same in RESP3. */
export function plain3(type: string): MakeBatch {
  return row => {
    const { before, command } = prepared(row, type)
    return { name: row.name, before: [...before, ['HELLO', '3']], command, after: [['RESET']] }
  }
}

/** Queued between MULTI and EXEC. */
export function queued(type: string): MakeBatch {
  return row => {
    const { before, command } = prepared(row, type)
    return { name: row.name, before: [...before, ['MULTI']], command, after: [['EXEC'], ['RESET']] }
  }
}

/** Called by a script. */
export function scripted(type: string): MakeBatch {
  return row => {
    const { before, command } = prepared(row, type)
    return {
      name: row.name,
      before,
      command: ['EVAL', 'return redis.pcall(unpack(ARGV))', '0', ...command],
      after: [['RESET']],
    }
  }
}

/** Behind `enter`, on the same connection; `leave` makes PING possible again. */
export function after(enter: readonly Words[], leave: readonly Words[]): MakeBatch {
  return row => {
    const { before, command } = prepared(row, 'nothing')
    return { name: row.name, before: [...before, ...enter], command, after: [...leave] }
  }
}

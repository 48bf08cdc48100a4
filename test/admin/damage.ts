// A data folder with something of everything, and ways to damage it: bytes of rows are changed or rows removed through
// LMDB itself, as a device that loses or flips them would.

import type { Database } from 'lmdb'
import type { Teardown } from '../support/temp-dir.js'
import { tempDir } from '../support/temp-dir.js'
import { startInProcess } from '../support/in-process.js'
import type { RespClient } from '../support/resp-client.js'
import { Environment } from '../../src/store/environment.js'
import { getU48 } from '../../src/store/row.js'
import type { Table } from '../../src/store/row.js'

export const ENTRIES = 3000
export const FIELDS = 2000

/** Every type in its small and its large form, groups with pending entries, and three databases, in one checkpoint. */
export async function fill(client: RespClient): Promise<void> {
  const commands: (string | number)[][] = [['SELECT', 0]]
  for (let i = 1; i <= ENTRIES; i++) commands.push(['XADD', 'stream', `${i}-0`, 'n', `${'x'.repeat(i % 50)}${i}`])
  commands.push(['XGROUP', 'CREATE', 'stream', 'group', '0'], ['XGROUP', 'CREATE', 'stream', 'other', '$'])
  for (const consumer of ['alice', 'bob']) {
    commands.push(['XREADGROUP', 'GROUP', 'group', consumer, 'COUNT', 900, 'STREAMS', 'stream', '>'])
  }
  commands.push(['XACK', 'stream', 'group', '5-0', '905-0'], ['XDEL', 'stream', '7-0', '2000-0'])
  for (let i = 0; i < FIELDS; i++) {
    commands.push(['HSET', 'hash', `field${i}`, `value${i}`.repeat(4)], ['SADD', 'set', `member${i}`])
    commands.push(['ZADD', 'zset', i % 97, `member${i}`], ['RPUSH', 'list', `element${i}`.repeat(3)])
  }
  commands.push(['HSET', 'expiring', 'a', 1, 'b', 2], ['HPEXPIREAT', 'expiring', 4_000_000_000_000, 'FIELDS', 1, 'a'])
  commands.push(['SET', 'string', 'y'.repeat(5000)], ['SET', 'short', 'z'], ['ZADD', 'small', 1, 'a'])
  commands.push(['SET', 'k'.repeat(600), 'a long name'], ['SELECT', 3], ['SET', 'elsewhere', 1], ['SELECT', 0])
  for (const command of commands) await client.command(...command)
}

/** A folder that was closed with a checkpoint. */
export async function filledFolder(t: Teardown): Promise<string> {
  const dir = tempDir(t)
  const { server, connect } = await startInProcess(t, dir)
  await fill(await connect())
  await server.close({ save: true })
  return dir
}

export type Change = (value: Buffer) => Buffer | undefined

/** One bit of the middle byte. */
export const flip: Change = value => {
  const other = Buffer.from(value)
  other[other.length >> 1] ^= 4
  return other
}

export const remove: Change = () => undefined

/**
 * Applies `change` to the rows of `table` that `which` picks; returns what puts them back.
 * @throws Error when there is no such row
 */
export async function damage(
  store: string,
  table: Table,
  which: (key: Buffer, place: number) => boolean,
  change: Change,
): Promise<() => Promise<void>> {
  const before = new Map<Buffer, Buffer>()
  await withRows(store, table, rows => {
    let place = 0
    for (const key of Array.from(rows.getKeys(), found => Buffer.from(found))) {
      if (which(key, place++)) before.set(key, Buffer.from(rows.getBinary(key)!))
    }
    if (before.size === 0) throw new Error('no row to damage')
    for (const [key, value] of before) {
      const other = change(value)
      if (other === undefined) rows.removeSync(key)
      else rows.putSync(key, other)
    }
  })
  return () => withRows(store, table, rows => before.forEach((value, key) => void rows.putSync(key, value)))
}

async function withRows(store: string, table: Table, work: (rows: Database<Buffer, Buffer>) => void): Promise<void> {
  const environment = new Environment(store)
  try {
    environment.root.transactionSync(() => work(environment.tables[table]))
  } finally {
    await environment.close()
  }
}

/** The id under which the row of a key lies. */
export const idIn = (key: Buffer): number => getU48(key, 0)

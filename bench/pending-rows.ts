// The rows of pending entries: what is found, claimed and deleted among few and among many. Where a server has not the
// command, what its clients do instead is measured: XPENDING IDLE and XCLAIM for XREADGROUP CLAIM, XACK and XDEL for
// XACKDEL. Names end in the number of entries that are pending before the measurement.

import { timed } from './load.js'
import type { Row } from './load.js'
import { fill, xautoclaim } from './rows.js'
import { encode, WireClient } from './wire-client.js'

export const SIZES = [1_000, 100_000, 1_000_000]
/** Entries that one operation finds, claims or deletes. */
const TAKEN = 100
const LONG_MS = 5_000_000
const READ_AT_ONCE = 10_000

/** Entries 1-0 … size-0 of `key`, all pending with one consumer. */
export async function pend(port: number, size: number): Promise<void> {
  await fill(port, 1, size)
  await deliver(port, size)
}

export async function deliver(port: number, size: number): Promise<void> {
  const client = await WireClient.connect(port)
  await client.send(encode('XGROUP', 'CREATE', 'stream', 'group', '0'), 1)
  for (let left = size; left > 0; left -= READ_AT_ONCE) {
    await client.send(
      encode('XREADGROUP', 'GROUP', 'group', 'busy', 'COUNT', READ_AT_ONCE, 'STREAMS', 'stream', '>'),
      1,
    )
  }
  client.close()
}

async function knows(client: WireClient, command: string): Promise<boolean> {
  await client.send(encode('COMMAND', 'INFO', command), 1)
  return client.last.length > 20
}

const idsFrom = (first: number, count: number): string[] => Array.from({ length: count }, (_, i) => `${first + i}-0`)

type Once = (client: WireClient) => Promise<void>

function pendingRow(
  name: string,
  size: number,
  what: string,
  operations: number,
  steps: (client: WireClient) => Promise<Once>,
): Row {
  const measure = (port: number, n: number) =>
    timed(port, n, async client => {
      const once = await steps(client)
      for (let i = 0; i < n; i++) await once(client)
    })
  return {
    name: `${name}-${size}`,
    what: `${what}, ${size.toLocaleString('en')} pending`,
    unit: 'operation',
    fsync: 'everysec',
    operations,
    prepare: port => pend(port, size),
    warmUp: port => measure(port, 3),
    measure,
  }
}

function summary(size: number): Row {
  return pendingRow('xpending-summary', size, 'XPENDING summary', 20_000, async () => async client => {
    await client.send(encode('XPENDING', 'stream', 'group'), 1)
  })
}

/** Makes the entries in the middle of the PEL look idle for long. */
const grow = (size: number): Buffer =>
  encode(
    'XCLAIM',
    'stream',
    'group',
    'dead',
    0,
    ...idsFrom(Math.floor(size / 2), TAKEN),
    'IDLE',
    2 * LONG_MS,
    'RETRYCOUNT',
    1,
    'JUSTID',
  )

function claim(size: number): Row {
  const what = `XREADGROUP CLAIM of ${TAKEN} that are idle`
  return pendingRow('xreadgroup-claim', size, what, size > 10_000 ? 100 : 1_000, async client => {
    const claims = await knows(client, 'XNACK')
    return async () => {
      await client.send(grow(size), 1)
      if (claims) {
        const words = ['COUNT', TAKEN, 'CLAIM', LONG_MS, 'STREAMS', 'stream', '>']
        return client.send(encode('XREADGROUP', 'GROUP', 'group', 'alive', ...words), 1)
      }
      await client.send(encode('XPENDING', 'stream', 'group', 'IDLE', LONG_MS, '-', '+', TAKEN), 1)
      await client.send(
        encode('XCLAIM', 'stream', 'group', 'alive', LONG_MS, ...idsFrom(Math.floor(size / 2), TAKEN)),
        1,
      )
    }
  })
}

/** XAUTOCLAIM from 0-0 until the end; Redis' cursor makes that many calls. */
async function autoClaimAll(client: WireClient): Promise<void> {
  for (let cursor = '0-0', begun = false; !begun || cursor !== '0-0'; begun = true) {
    await client.send(encode('XAUTOCLAIM', 'stream', 'group', 'alive', LONG_MS, cursor, 'COUNT', TAKEN), 1)
    cursor = /^\*3\r\n\$\d+\r\n(\S+)/.exec(client.last.toString('latin1', 0, 64))![1]
  }
}

/** What is idle lies as far apart as it can: in a large PEL no page holds two of it. */
function spread(size: number): Row {
  const what = `XAUTOCLAIM from 0-0 to the end, ${TAKEN} idle, one in every ${size / TAKEN}`
  let turn = 0
  return pendingRow('xautoclaim-spread', size, what, size > 10_000 ? 200 : 1_000, async () => async client => {
    const first = 1 + (turn++ % (size / TAKEN))
    const ids = Array.from({ length: TAKEN }, (_, i) => `${first + i * (size / TAKEN)}-0`)
    const words = ['XCLAIM', 'stream', 'group', 'dead', 0, ...ids, 'IDLE', 2 * LONG_MS, 'RETRYCOUNT', 1, 'JUSTID']
    await client.send(encode(...(words as [string])), 1)
    await autoClaimAll(client)
  })
}

function ackDelete(size: number): Row {
  const what = `XACKDEL of ${TAKEN}, which are added and read first`
  return pendingRow('xackdel', size, what, size > 10_000 ? 1_000 : 2_000, async client => {
    const once = await knows(client, 'XACKDEL')
    return async () => {
      // Above all IDs there are, also those of the operations before.
      const us = Math.floor((performance.timeOrigin + performance.now()) * 1000)
      const ids = Array.from({ length: TAKEN }, (_, k) => `${us}-${k}`)
      const added = Buffer.concat(ids.map(id => encode('XADD', 'stream', id, 'field', 'value')))
      await client.send(added, TAKEN)
      await client.send(encode('XREADGROUP', 'GROUP', 'group', 'busy', 'COUNT', TAKEN, 'STREAMS', 'stream', '>'), 1)
      if (once) return client.send(encode('XACKDEL', 'stream', 'group', 'IDS', TAKEN, ...ids), 1)
      await client.send(encode('XACK', 'stream', 'group', ...ids), 1)
      await client.send(encode('XDEL', 'stream', ...ids), 1)
    }
  })
}

function deleteConsumer(size: number): Row {
  const what = `XGROUP DELCONSUMER of one that has claimed ${TAKEN}`
  return pendingRow('delconsumer', size, what, size > 10_000 ? 1_000 : 2_000, async () => async client => {
    const ids = idsFrom(1, TAKEN)
    await client.send(encode('XCLAIM', 'stream', 'group', 'gone', 0, ...ids, 'FORCE', 'JUSTID'), 1)
    await client.send(encode('XGROUP', 'DELCONSUMER', 'stream', 'group', 'gone'), 1)
  })
}

export const pendingRows: readonly Row[] = [
  xautoclaim(100_000),
  ...SIZES.map(summary),
  ...SIZES.map(spread),
  ...SIZES.map(claim),
  ...SIZES.map(ackDelete),
  ...SIZES.map(deleteConsumer),
]

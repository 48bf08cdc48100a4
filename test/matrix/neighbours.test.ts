// Every command of the table beside other clients and the clock: while somebody waits for its key, on a key whose time
// has come, and from a client that goes. Compared with redis-server, byte by byte.

import t from 'tap'
import type { Test } from 'tap'
import { RespClient } from '../support/resp-client.js'
import { encodeCommand } from '../support/resp-client.js'
import { requestOfRow } from '../support/row-request.js'
import { runBatches, splitReplies } from './batch.js'
import type { Batch, Words } from './batch.js'
import { batchesOf, compareCell, compareRows, rows, startPair } from './sides.js'
import type { Pair } from './sides.js'
import { plain, VALUES } from './states.js'
import type { MakeBatch } from './states.js'

t.setTimeout(120_000)

const pair = await startPair(t)

/** How to wait for a key, and what must be there before. */
const WAITS: Readonly<Record<string, { before: (key: string) => Words[]; wait: (key: string) => Words }>> = {
  list: { before: () => [], wait: key => ['BLPOP', key, '0'] },
  zset: { before: () => [], wait: key => ['BZPOPMIN', key, '0'] },
  stream: { before: VALUES.stream, wait: key => ['XREADGROUP', 'GROUP', 'g', 'c', 'BLOCK', '0', 'STREAMS', key, '>'] },
}

/** These touch all keys at once, so that the waiters of other cells would hear of them. */
const WIDE = new Set(['flushall', 'flushdb', 'swapdb'])

/** The n-th key of a row, its own in this state. */
const keyOf = (name: string, n: number): string => `${name}:${n}`

/** The request of a row on keys of its own. */
function ownKeys(before: (key: string) => Words[]): MakeBatch {
  return row => {
    const { words, keys } = requestOfRow(row, n => keyOf(row.name, n))
    return {
      name: row.name,
      before: keys.flatMap((_, n) => before(keyOf(row.name, n))),
      command: words,
      after: [['RESET']],
    }
  }
}

interface Waiter {
  readonly client: RespClient
  readonly id: string
}

async function waitersOn(port: number, batches: readonly Batch[], wait: (key: string) => Words): Promise<Waiter[]> {
  return Promise.all(
    batches.map(async ({ name }) => {
      const client = await RespClient.connect(port)
      const id = (await client.text('CLIENT', 'ID')).slice(1, -2)
      client.send(encodeCommand(wait(keyOf(name, 0))))
      return { client, id }
    }),
  )
}

/** Everything that the commands and the waiters of one server were answered. */
async function withWaiters(port: number, batches: readonly Batch[], kind: string) {
  const { before, wait } = WAITS[kind]
  const speaker = await RespClient.connect(port)
  await speaker.command('FLUSHALL')
  for (const { name } of batches) for (const words of before(keyOf(name, 0))) await speaker.command(...words)
  if (kind === 'stream')
    for (const { name } of batches)
      await speaker.command('XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', keyOf(name, 0), '>')
  const waiters = await waitersOn(port, batches, wait)
  while (!(await speaker.text('INFO', 'clients')).includes(`blocked_clients:${waiters.length}\r\n`)) continue
  const replies = await runBatches(speaker, batches)
  for (const { id } of waiters) await speaker.command('CLIENT', 'UNBLOCK', id)
  const woken: Buffer[][] = []
  for (const { client } of waiters) {
    client.send('PING\r\n')
    woken.push([await client.reply(), await client.reply()])
    client.close()
  }
  speaker.close()
  return { replies, woken }
}

for (const kind of Object.keys(WAITS)) {
  t.test(`while a client waits for the key as a ${kind}`, async t => {
    const { asked, reference } = batchesOf(ownKeys(() => []))
    const narrow = (batches: readonly Batch[]) => batches.filter((_, i) => !WIDE.has(rows[i].name))
    const [wanted, found] = await Promise.all([
      withWaiters(pair.redisPort, narrow(reference), kind),
      withWaiters(pair.ours.port, narrow(asked), kind),
    ])
    for (const [i, batch] of narrow(asked).entries()) {
      const other = narrow(reference)[i]
      compareCell(t, `beside ${kind}`, batch, other, wanted.replies[i], found.replies[i])
      t.equal(String(found.woken[i]), String(wanted.woken[i]), `${batch.name}: what the waiter got`)
    }
  })
}

for (const type of Object.keys(VALUES)) {
  if (type === 'nothing') continue
  t.test(`on a key that was ${type} until its time came`, async t => {
    await pair.bothSay('FLUSHALL')
    await pair.bothSay('DEBUG', 'SET-ACTIVE-EXPIRE', '0')
    const sides = await pair.connect(t)
    const expiring = ownKeys(key => [...VALUES[type](key), ['PEXPIRE', key, '1']])
    const set: MakeBatch = row => ({ ...expiring(row), command: ['PING'] })
    const prepared = batchesOf(set)
    await Promise.all([runBatches(sides.reference, prepared.reference), runBatches(sides.ours, prepared.asked)])
    // Longer than the expiry: every key is overdue, and nobody has looked.
    await new Promise(resolve => setTimeout(resolve, 5))
    await compareRows(
      t,
      `expired ${type}`,
      sides,
      ownKeys(() => []),
    )
  })
}

async function closingReplies(port: number, batches: readonly Batch[]): Promise<Buffer[][]> {
  const all: Buffer[][] = []
  for (const { before, command } of batches) {
    const client = await RespClient.connect(port)
    client.send(Buffer.concat([...before, command, ['QUIT'], command].map(encodeCommand)))
    all.push(splitReplies(await client.closed()))
  }
  return all
}

t.test('from a client that says QUIT behind it and goes on', async t => {
  const { asked, reference } = batchesOf(plain('list'))
  const [wanted, found] = await Promise.all([
    closingReplies(pair.redisPort, reference),
    closingReplies(pair.ours.port, asked),
  ])
  for (let i = 0; i < asked.length; i++) {
    const after = [['QUIT']]
    compareCell(t, 'closing', { ...asked[i], after }, { ...reference[i], after }, wanted[i], found[i])
  }
})

t.test('from a client that is gone before the answer', t => goneBeforeAnswer(t, pair))

async function goneBeforeAnswer(t: Test, { ours }: Pair): Promise<void> {
  for (const batch of batchesOf(plain('list')).asked) {
    const client = await RespClient.connect(ours.port)
    client.send(Buffer.concat([...batch.before, batch.command].map(encodeCommand)))
    client.close()
  }
  const speaker = await ours.connect()
  const clients = async () =>
    /connected_clients:(\d+)[^]*blocked_clients:(\d+)/.exec(await speaker.text('INFO', 'clients'))
  while ((await clients())![2] !== '0') continue
  t.equal(await speaker.text('PING'), '+PONG\r\n', 'the server goes on')
  t.same(ours.stopped, [])
}

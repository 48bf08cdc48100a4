// A damaged journal, from end to end: a server killed in mid-flight, its last segment cut or flipped at sampled bytes,
// and a start on a copy of the folder. It serves exactly the transactions before the damage, with a warning, or refuses
// with a sentence that names the segment; nothing else. Most starts are inside this process, where they cost little;
// one of each outcome is the program's own. DAMAGE_SAMPLES random places of each kind (40) beside the fixed ones.

import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { SEGMENT, segmentEnd } from '../../src/store/journal-segment.js'
import { startInProcess } from '../support/in-process.js'
import { RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'
import { startServer } from '../support/start-server.js'
import { segmentsIn } from '../store/journal-fixture.js'
import { tempDir } from '../support/temp-dir.js'

const SAMPLES = Number(process.env.DAMAGE_SAMPLES ?? 40)
/** Transactions in the checkpoint, and behind it in the journal. */
const SAVED = 3
const JOURNALED = 6
const ALL = SAVED + JOURNALED

/** The i-th transaction: what is served shows whether it was replayed, and whether as a whole. */
async function transaction(client: RespClient, i: number): Promise<void> {
  await client.command('MULTI')
  await client.command('XADD', 'log', `${i}-0`, 'n', 'x'.repeat(7 * i))
  await client.command('SET', 'last', i)
  await client.command('EXEC')
}

/** How many transactions the server holds; -1 when what it holds is no prefix of them. */
async function heldBy(port: number): Promise<number> {
  const client = await RespClient.connect(port)
  const count = Number(/\r\n(\d+)\r\n/.exec(await client.text('GET', 'last'))?.[1])
  const log = await client.text('XRANGE', 'log', '-', '+')
  client.close()
  const ids = [...log.matchAll(/\r\n(\d+)-0\r\n/g)].map(match => match[1])
  return ids.join() === Array.from({ length: count }, (_, i) => i + 1).join() ? count : -1
}

interface Journal {
  readonly dir: string
  /** Path of its only segment, below the folder. */
  readonly segment: string
  readonly bytes: Buffer
  /** Where each record begins, and where the last one ends. */
  readonly bounds: readonly number[]
}

async function journalOfKilledServer(t: Test): Promise<Journal> {
  const dir = tempDir(t)
  const server = await startServer({ dir })
  const client = await RespClient.connect(server.port)
  for (let i = 1; i <= ALL; i++) {
    await transaction(client, i)
    if (i === SAVED) t.equal(await client.text('SAVE'), '+OK\r\n')
  }
  // Otherwise the damage could be what a power cut does to records that no sync has covered.
  t.equal(await client.text('WAITAOF', 1, 0, 0), '*2\r\n:1\r\n:0\r\n')
  await server.kill9()
  client.close()
  const names = segmentsIn(join(dir, 'journal'))
  t.equal(names.length, 1, 'the checkpoint left one segment')
  const segment = join('journal', names[0])
  // Without the room behind the records: what is cut off is records then.
  const whole = readFileSync(join(dir, segment))
  const bytes = whole.subarray(0, segmentEnd(whole))
  truncateSync(join(dir, segment), bytes.length)
  const bounds: number[] = [SEGMENT.BODY]
  for (let at: number = SEGMENT.BODY; at < bytes.length; bounds.push(at)) at += bytes.readUInt32LE(at)
  t.equal(bounds.length, JOURNALED + 1, 'one record each')
  return { dir, segment, bytes, bounds }
}

/** A copy of the folder with the damage done, which the test removes. */
function damagedCopy(t: Test, { dir, segment }: Journal, damage: (path: string) => void): string {
  const copy = tempDir(t, 'millrace-damaged')
  cpSync(dir, copy, { recursive: true })
  damage(join(copy, segment))
  return copy
}

/** Starts on a damaged copy: what it served and logged, or why it refused. */
async function outcome(
  t: Test,
  journal: Journal,
  damage: (path: string) => void,
): Promise<{ count: number; log: string } | CorruptionError> {
  const dir = damagedCopy(t, journal, damage)
  try {
    const { server, port, lines } = await startInProcess(t, dir)
    const count = await heldBy(port)
    await server.close({ save: false })
    return { count, log: lines.join('') }
  } catch (error) {
    if (error instanceof CorruptionError) return error
    throw error
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

t.test('a damaged journal', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const journal = await journalOfKilledServer(t)
  const { bytes, bounds, segment } = journal
  const [from, last] = [bounds[JOURNALED - 3], bounds[JOURNALED - 1]]
  const anywhere = () => Array.from({ length: SAMPLES }, () => rng.between(from, bytes.length - 1))

  t.test('whatever byte it is cut at, what lies before is served', async t => {
    const fixed = [0, SEGMENT.BODY - 1, SEGMENT.BODY, last - 1, last, last + 1, last + 4, last + 28, bytes.length - 1]
    for (const at of [...fixed, ...anywhere()]) {
      const result = await outcome(t, journal, path => truncateSync(path, at))
      if (result instanceof Error) return t.fail(`cut at byte ${at}: ${result.message}`)
      const whole = bounds.filter(bound => bound <= at)
      t.equal(result.count, SAVED + Math.max(whole.length - 1, 0), `cut at byte ${at} of ${bytes.length}`)
      // A cut between two records cannot be told from a journal that ends there.
      if (!bounds.includes(at))
        t.match(result.log, `${segment} is cut at byte ${whole.at(-1) ?? 0}, `, 'with a warning')
    }
  })

  t.test('a flipped bit in the last record drops it with a warning; any before it stops the start', async t => {
    const fixed = [0, 8, 12, 20, from, from + 4, from + 8, last - 1, last, last + 4, last + 8, last + 24, last + 29]
    for (const at of [...fixed, ...anywhere()]) {
      const flipped = Buffer.from(bytes)
      flipped[at] ^= 1 << rng.below(8)
      const result = await outcome(t, journal, path => writeFileSync(path, flipped))
      const where = `${bytes[at]} became ${flipped[at]} at byte ${at} of ${bytes.length}`
      if (at < last) {
        t.type(result, CorruptionError, where)
        t.match(result, { message: segment }, 'and the segment is named')
      } else {
        t.match(result, { count: ALL - 1, log: `${segment} is cut at byte ${last}, ` }, where)
      }
    }
  })

  t.test('the program warns and serves, or ends with status 1 and one sentence', async t => {
    const cut = damagedCopy(t, journal, path => truncateSync(path, bytes.length - 1))
    const server = await startServer({ dir: cut })
    t.equal(await heldBy(server.port), ALL - 1)
    t.match(server.output(), `${segment} is cut at byte ${last}, `)
    await server.kill9()
    const broken = damagedCopy(t, journal, path => {
      bytes[last - 1] ^= 1
      writeFileSync(path, bytes)
    })
    const place = `${join(broken, segment)} is damaged at byte ${bounds[JOURNALED - 2]} (record ${ALL - 1})`
    const refusal = await startServer({ dir: broken }).then(
      () => 'started',
      (error: Error) => error.message,
    )
    t.match(refusal, 'exited with 1 before it was ready')
    t.match(refusal, `millrace: The journal segment ${place}, and good records follow.`)
    t.notMatch(refusal, /^ +at /m, 'no stack')
  })
})

// Damaged watermarks fail closed: every length of the blob from 0 to 1,300, every invariant broken, on every script
// that reads them, in both layouts, on redis-server and on Millrace. A typed error, and nothing is written.

import type { Redis } from 'ioredis'
import { Redis as RedisClient } from 'ioredis'
import t from 'tap'
import type { Test } from 'tap'
import { encodeLane } from '../../src/mailbox/lane.js'
import { MailboxError } from '../../src/mailbox/mailbox-error.js'
import { MailboxScripts } from '../../src/mailbox/mailbox-scripts.js'
import type { MailboxCall } from '../../src/mailbox/mailbox-scripts.js'
import { startRedisServer } from '../support/redis-server.js'
import { startServer } from '../support/start-server.js'

const WM = 'wm:{7}'
const REGISTRY = 'mbregistry:{7}'
const BLOB_BYTES_MAX = 1_300
const UNIFORM = encodeLane({ w: 5, floor: 2 })
const DIVERGED = Buffer.concat(Array.from({ length: 64 }, (_, i) => encodeLane({ w: 5 + (i % 3), floor: 2 })))

const TODAY = String(Math.floor(Date.now() / 86_400_000))
const APPEND = ['0001000000000006', '', '', TODAY, 604_800, 0, 'buckets', '000100000000000600000000x']

/** Every script that reads watermarks, with arguments that a sound shard would take. */
const CALLS: readonly MailboxCall[] = [
  { script: 'read_log_watermarks', keys: [WM], args: [] },
  { script: 'advance_log_watermark', keys: [WM], args: [1, 3, 5, 6] },
  { script: 'advance_log_watermarks', keys: [WM], args: [1, 6, '*', 5] },
  { script: 'advance_log_watermarks', keys: [WM], args: [1, 6, 0, 5, 63, 5] },
  { script: 'gc_completed_dispatch', keys: [WM, 'd:{7}'], args: [1, 9] },
  { script: 'claim_dispatch', keys: [WM, 'd:{7}', 'e:{7}'], args: [1, 6, 'dispatch'] },
  { script: 'append_event_group', keys: [WM, 'm:{7}', 'y:{7}', 'i:{7}', 'b:{7}'], args: [1, ...APPEND] },
  {
    script: 'materialize_fresh_single_recipient',
    keys: [WM, 'd:{7}', 'm:{7}', 'y:{7}', 'i:{7}', 'b:{7}'],
    args: [1, 5, 6, 'dispatch', ...APPEND],
  },
  {
    script: 'raise_epoch',
    keys: [REGISTRY, 'bd:{7}', 's:{7}', WM, 'd:{7}', 'e:{7}'],
    args: ['take', 'b', 'E1', 1, '', '', 60, '', '', 0],
  },
  { script: 'convert_watermarks', keys: [REGISTRY, WM], args: ['packed-v1', 0] },
  { script: 'convert_watermarks', keys: [REGISTRY, WM], args: ['packed-v2', 0] },
]
type Damage = readonly [name: string, fields: Readonly<Record<string, string | Buffer>>]

function lengths(): Damage[] {
  const damages: Damage[] = []
  const sound = Buffer.concat([DIVERGED, DIVERGED])
  for (let length = 0; length <= BLOB_BYTES_MAX; length++) {
    const blob = sound.subarray(0, length)
    for (const layout of ['packed-v1', 'packed-v2']) {
      if (length === 1216 || (layout === 'packed-v2' && length === 19)) continue
      damages.push([`${layout} with ${length} bytes`, { wm_layout: layout, wm_epoch: '1', wm_blob: blob }])
    }
  }
  return damages
}

function brokenLanes(): Damage[] {
  const lane = (hex: string) => Buffer.from(hex, 'hex')
  const records: Record<string, Buffer> = {
    'presence 2': lane('02000000000005000000000002000000000005'),
    'presence 255': lane('ff000000000005000000000002000000000005'),
    'W above W_recomputed': lane('01000000000006000000000002000000000005'),
    'W below W_recomputed': lane('01000000000005000000000002000000000006'),
    'W_recomputed differs in its high byte': lane('01000000000005000000000002010000000005'),
    'W below W_floor': lane('01000000000005000000000006000000000005'),
  }
  for (let at = 1; at < 19; at++) {
    const empty = Buffer.alloc(19)
    empty[at] = 1
    records[`an empty lane with byte ${at} set`] = empty
  }
  const damages: Damage[] = []
  for (const [name, record] of Object.entries(records)) {
    damages.push([`all lanes: ${name}`, { wm_layout: 'packed-v2', wm_epoch: '1', wm_blob: record }])
    for (const at of [0, 31, 63]) {
      const blob = Buffer.from(DIVERGED)
      record.copy(blob, at * 19)
      for (const layout of ['packed-v1', 'packed-v2']) {
        damages.push([`${layout}, lane ${at}: ${name}`, { wm_layout: layout, wm_epoch: '1', wm_blob: blob }])
      }
    }
  }
  return damages
}

function brokenHashes(): Damage[] {
  const good = { wm_layout: 'packed-v2', wm_epoch: '1', wm_blob: UNIFORM }
  const damages: Damage[] = [
    ['a fourth field', { ...good, other: 'x' }],
    ['two fields', { wm_layout: 'packed-v2', wm_blob: UNIFORM }],
    ['one field', { wm_blob: UNIFORM }],
    ['a field of another name', { wm_layout: 'packed-v2', epoch: '1', wm_blob: UNIFORM }],
  ]
  for (const layout of ['', 'packed-v3', 'PACKED-V2', 'packed-v2 ', 'packed']) {
    damages.push([`layout '${layout}'`, { ...good, wm_layout: layout }])
  }
  for (const epoch of ['', '01', '0', '-1', '+1', '1.5', 'x', '65536', '999999', '1 ', '1e3', '0x1']) {
    damages.push([`epoch '${epoch}'`, { ...good, wm_epoch: epoch }])
  }
  return damages
}

async function state(client: Redis): Promise<string> {
  const keys = (await client.keys('*')).sort()
  const dumps = await Promise.all(keys.map(key => client.dumpBuffer(key)))
  return JSON.stringify(keys.map((key, i) => [key, dumps[i]?.toString('hex')]))
}

async function plant(client: Redis, fields: Damage[1]): Promise<void> {
  await client.flushall()
  await client.hset(REGISTRY, { epoch: '1', owner: '', waiting: '1', start: '0001000000000000' })
  await client.hset(WM, fields)
}

async function failsClosed(t: Test, client: Redis, damages: readonly Damage[]): Promise<void> {
  const scripts = new MailboxScripts(client)
  let [refused, written] = [0, 0]
  for (const [name, fields] of damages) {
    await plant(client, fields)
    const before = await state(client)
    const outcomes = await scripts.runAll(CALLS, 'shard 7')
    for (const [i, outcome] of outcomes.entries()) {
      // Everything is damage of the watermarks; the message of the pipeline's place comes first.
      const isTyped = outcome instanceof MailboxError && outcome.code === 'CORRUPT_WATERMARK'
      if (isTyped) refused++
      else t.fail(`${name}: ${CALLS[i].script} answers ${String(outcome)}`)
    }
    if ((await state(client)) !== before) {
      written++
      t.fail(`${name}: something was written`)
    }
  }
  t.ok(refused > 0 && written === 0, `${damages.length} damages, ${refused} refusals`)
}

const servers = [
  { name: 'redis-server', start: () => startRedisServer() },
  { name: 'Millrace', start: () => startServer() },
]
for (const { name, start } of servers) {
  t.test(name, async t => {
    const server = await start()
    t.teardown(async () => void (await server.stop()))
    const client = new RedisClient(server.port, '127.0.0.1')
    t.teardown(() => client.disconnect())

    await t.test('sound shards are taken, so that a refusal below means something', async t => {
      const scripts = new MailboxScripts(client)
      for (const [layout, blob] of [
        ['packed-v2', UNIFORM],
        ['packed-v2', DIVERGED],
        ['packed-v1', DIVERGED],
      ] as const) {
        for (const call of CALLS) {
          await plant(client, { wm_layout: layout, wm_epoch: '1', wm_blob: blob })
          const [outcome] = await scripts.runAll([call], 'shard 7')
          t.notOk(outcome instanceof Error, `${layout}, ${blob.length} bytes: ${call.script}`)
        }
      }
    })
    await t.test('every length from 0 to 1,300', async t => failsClosed(t, client, lengths()))
    await t.test('every invariant of a lane', async t => failsClosed(t, client, brokenLanes()))
    await t.test('every odd hash', async t => failsClosed(t, client, brokenHashes()))
    await t.test('a key of another type', async t => {
      await client.flushall()
      await client.set(WM, 'x')
      for (const outcome of await new MailboxScripts(client).runAll(CALLS.slice(0, 8), 'shard 7')) {
        t.ok(outcome instanceof MailboxError)
      }
      t.equal(await client.get(WM), 'x')
      t.equal(await client.dbsize(), 1)
    })
    await t.test('192 fields are refused online, by name', async t => {
      const fields = Array.from({ length: 64 }, (_, i) => [`w:${i}`, `w_floor:${i}`, `w_recomputed:${i}`]).flat()
      await plant(client, Object.fromEntries(fields.map(field => [field, '5'])))
      const before = await state(client)
      for (const outcome of await new MailboxScripts(client).runAll(CALLS.slice(0, 9), 'shard 7')) {
        t.match(outcome, { code: 'LEGACY_LAYOUT' })
      }
      t.equal(await state(client), before)
    })
    await t.test('packed-v1 is read, and becomes packed-v2 at the next write', async t => {
      const equal = Buffer.concat(Array.from({ length: 64 }, () => UNIFORM))
      const scripts = new MailboxScripts(client)
      for (const [call, blob, bytes] of [
        [CALLS[1], equal, 1216],
        [CALLS[2], equal, 19],
        [CALLS[3], equal, 1216],
        [CALLS[7], equal, 19],
      ] as const) {
        await plant(client, { wm_layout: 'packed-v1', wm_epoch: '1', wm_blob: blob })
        await scripts.runAll([CALLS[0]], '')
        t.equal(await client.hget(WM, 'wm_layout'), 'packed-v1', 'reading writes nothing')
        const [outcome] = await scripts.runAll([call], '')
        t.notOk(outcome instanceof Error)
        t.equal(await client.hget(WM, 'wm_layout'), 'packed-v2')
        t.equal(await client.hstrlen(WM, 'wm_blob'), bytes, call.script)
        t.equal(await client.hlen(WM), 3)
      }
    })
  })
}

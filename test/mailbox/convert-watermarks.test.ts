// The offline converter, as a function and as `millrace mailbox convert`, on redis-server and on Millrace.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import t from 'tap'
import type { Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { convertWatermarks } from '../../src/mailbox/convert-watermarks.js'
import { encodeLane } from '../../src/mailbox/lane.js'
import { redisMailbox } from '../../src/mailbox/mailbox-backend.js'
import { runMailboxTool } from '../../src/mailbox/mailbox-tool.js'
import { encodeBlob } from '../../src/mailbox/watermark-blob.js'
import { startRedisServer } from '../support/redis-server.js'
import { startServer } from '../support/start-server.js'

const WM = 'wm:{7}'
const EQUAL = Array.from({ length: 64 }, () => ({ w: 500, floor: 20 }))
const MIXED = EQUAL.map((lane, i) => (i === 3 ? undefined : i === 4 ? { w: 2 ** 48 - 1, floor: 0 } : lane))

type Lanes = readonly ({ w: number; floor: number } | undefined)[]

function legacyFields(lanes: Lanes): Record<string, string> {
  const fields = lanes.flatMap((lane, i) => [
    [`w:${i}`, lane ? String(lane.w) : ''],
    [`w_floor:${i}`, lane ? String(lane.floor) : ''],
    [`w_recomputed:${i}`, lane ? String(lane.w) : ''],
  ])
  return Object.fromEntries(fields)
}

async function suite(t: Test, client: Redis): Promise<void> {
  const { registry, watermarks } = redisMailbox(client, {
    clock: systemClock,
    retentionS: 86_400,
    durability: 'trusted',
  })
  const convert = (to: 'packed-v1' | 'packed-v2', dryRun = false) => convertWatermarks(client, 7, to, { dryRun })
  const stored = () => client.hgetallBuffer(WM)
  t.beforeEach(async () => void (await client.flushall()))

  await t.test('192 fields become packed-v1, then v2, then v1 again, and say the same', async t => {
    for (const lanes of [EQUAL, MIXED, EQUAL.map(() => undefined)]) {
      await client.flushall()
      await client.hset(WM, legacyFields(lanes))
      const epoch = await registry.fence(7, 30)
      t.equal(await client.hlen(WM), 192, 'the fence leaves them alone')
      t.match(await convert('packed-v1'), { from: 'legacy-192', to: 'packed-v1', epoch, lanes, hasWritten: true })
      t.same(await stored(), {
        wm_layout: Buffer.from('packed-v1'),
        wm_epoch: Buffer.from(String(epoch)),
        wm_blob: encodeBlob(lanes, 'packed-v1'),
      })
      t.match(await convert('packed-v2'), { from: 'packed-v1', lanes, hasWritten: true })
      t.same((await stored()).wm_blob, encodeBlob(lanes, 'packed-v2'))
      t.match(await convert('packed-v1'), { from: 'packed-v2', lanes, hasWritten: true })
      t.same((await stored()).wm_blob, encodeBlob(lanes, 'packed-v1'))
      t.match(await registry.takeOver(7, 'next'), { epoch })
      t.same((await watermarks.read(7)).lanes, lanes)
    }
  })
  await t.test('a dry run verifies and writes nothing', async t => {
    await client.hset(WM, { wm_layout: 'packed-v1', wm_epoch: '3', wm_blob: encodeBlob(EQUAL, 'packed-v1') })
    await registry.fence(7)
    const before = await stored()
    t.match(await convert('packed-v2', true), { from: 'packed-v1', to: 'packed-v2', blobBytes: 19, hasWritten: false })
    t.same(await stored(), before)
    await client.hset(WM, 'wm_blob', Buffer.alloc(1216, 9))
    await t.rejects(convert('packed-v2', true), { code: 'CORRUPT_WATERMARK' })
  })
  await t.test('the layout it has already is left alone', async t => {
    await registry.fence(7)
    const before = await stored()
    t.match(await convert('packed-v2'), { from: 'packed-v2', to: 'packed-v2', hasWritten: false })
    t.same(await stored(), before)
  })
  await t.test('a shard with an owner, or unknown to the registry, is refused', async t => {
    await client.hset(WM, { wm_layout: 'packed-v1', wm_epoch: '3', wm_blob: encodeBlob(EQUAL, 'packed-v1') })
    const before = await stored()
    await t.rejects(convert('packed-v2'), { code: 'NOT_FENCED' })
    await t.rejects(convert('packed-v2', true), { code: 'NOT_FENCED' })
    t.same(await stored(), before)
    await registry.takeOver(7, 'owner')
    await t.rejects(convert('packed-v2'), { code: 'NOT_FENCED' })
    await registry.fence(7)
    t.match(await convert('packed-v2'), { hasWritten: true })
  })
  await t.test('192 fields go to packed-v1 only', async t => {
    await client.hset(WM, legacyFields(EQUAL))
    await registry.fence(7, 1)
    await t.rejects(convert('packed-v2'), { code: 'LEGACY_LAYOUT' })
    t.equal(await client.hlen(WM), 192)
  })
  await t.test('damage is refused in every layout', async t => {
    await registry.fence(7, 1)
    const damages: Record<string, Record<string, string | Buffer>> = {
      'a legacy field that is no number': { ...legacyFields(EQUAL), 'w:9': 'x' },
      'a legacy field too large': {
        ...legacyFields(EQUAL),
        'w:9': '281474976710656',
        'w_recomputed:9': '281474976710656',
      },
      'legacy W and W_recomputed differ': { ...legacyFields(EQUAL), 'w_recomputed:9': '499' },
      'legacy W below its floor': { ...legacyFields(EQUAL), 'w_floor:9': '501' },
      'a legacy lane that is half empty': { ...legacyFields(EQUAL), 'w_floor:9': '' },
      'a blob cut short': { wm_layout: 'packed-v2', wm_epoch: '2', wm_blob: encodeLane(EQUAL[0]).subarray(1) },
      'a lane that is broken': { wm_layout: 'packed-v1', wm_epoch: '2', wm_blob: Buffer.alloc(1216, 2) },
    }
    for (const [name, fields] of Object.entries(damages)) {
      await client.del(WM)
      await client.hset(WM, fields)
      const before = await stored()
      await t.rejects(convert('packed-v1'), { code: 'CORRUPT_WATERMARK' }, name)
      t.same(await stored(), before, name)
    }
    const { ['w:9']: _, ...missing } = legacyFields(EQUAL)
    await client.del(WM)
    await client.hset(WM, { ...missing, other: '1' })
    await t.rejects(convert('packed-v1'), { code: 'CORRUPT_WATERMARK', message: /w:9 is missing/ })
  })
  await t.test('a fence works on damaged watermarks, a takeover does not', async t => {
    await registry.takeOver(7, 'owner')
    await client.hset(WM, 'wm_blob', 'x')
    await t.rejects(registry.takeOver(7, 'next'), { code: 'CORRUPT_WATERMARK' })
    t.equal(await registry.fence(7), 2)
    t.equal(await client.hgetBuffer(WM, 'wm_blob').then(String), 'x')
  })
}

async function tool(t: Test, client: Redis, port: number): Promise<void> {
  const run = async (...argv: string[]) => {
    let [out, err] = ['', '']
    const output = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) }
    const status = await runMailboxTool([...argv, '--port', String(port), '--trust-durability'], output)
    return { status, out, err }
  }
  await client.flushall()
  await client.hset(WM, { wm_layout: 'packed-v1', wm_epoch: '3', wm_blob: encodeBlob(MIXED, 'packed-v1') })
  t.match(await run('convert', '--shard', '7', '--to', 'packed-v2'), {
    status: 1,
    err: /shard 7: the owner may still be writing \(NOT_FENCED\)\nstop the owner and run: millrace mailbox fence\n/,
  })
  t.match(await run('show', '--shard', '7'), {
    status: 0,
    out: /^shard 7: epoch 3, owner unknown; packed-v1, W 500 to 281474976710655, 1 empty lanes\n$/,
  })
  t.match(await run('fence', '--shard', '7'), {
    status: 0,
    out: 'shard 7 is fenced; epoch 4 waits for its next owner\n',
  })
  t.match(await run('convert', '--shard', '7', '--to', 'packed-v2', '--dry-run'), { out: /would be converted/ })
  t.equal(await client.hget(WM, 'wm_layout'), 'packed-v1')
  t.match(await run('convert', '--shard', '7', '--to', 'packed-v2'), {
    status: 0,
    out: /^shard 7: packed-v1 to packed-v2, epoch 4, .*; converted\n$/,
  })
  t.match(await run('convert', '--shard', '7', '--to', 'packed-v2'), { out: /unchanged/ })
  t.match(await run('show', '--shard', '7'), { out: /fenced, no owner; packed-v2/ })
  t.match(await run('show', '--shard', '8'), { status: 1, err: /SHARD_NOT_OPEN/ })
}

for (const { name, start } of [
  { name: 'redis-server', start: () => startRedisServer() },
  { name: 'Millrace', start: () => startServer() },
]) {
  t.test(name, async t => {
    const server = await start()
    t.teardown(async () => void (await server.stop()))
    const client = new Redis(server.port, '127.0.0.1')
    t.teardown(() => client.disconnect())
    await t.test('as a function', async t => suite(t, client))
    await t.test('as a tool', async t => tool(t, client, server.port))
    await t.test('as a program', async t => {
      const main = process.env.MILLRACE_MAIN ?? 'dist/main.js'
      const words = [main, 'mailbox', 'show', '--shard', '7', '--port', String(server.port)]
      const { stdout } = await promisify(execFile)(process.execPath, words)
      t.match(stdout, /^shard 7: epoch 4, fenced, no owner; packed-v2/)
    })
  })
}

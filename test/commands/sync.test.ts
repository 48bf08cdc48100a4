// SYNC against a whole server: the snapshot is loaded by redis-server, the changes behind it are sent there, and both
// servers then hold the same data.

import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { Generator } from '../differential/generator.js'
import { comparable } from '../differential/normalise.js'
import { consumersFirst } from '../differential/pair.js'
import { startInProcess } from '../support/in-process.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'
import { tempDir } from '../support/temp-dir.js'

const COMMANDS = 1500

/** What a client in SYNC receives. */
class Follower {
  #bytes = Buffer.alloc(0)
  #waiting: () => void = () => undefined

  constructor(port: number) {
    const socket = connect(port, '127.0.0.1', () => socket.write('SYNC\r\n'))
    socket.on('error', () => undefined)
    socket.on('data', bytes => {
      this.#bytes = Buffer.concat([this.#bytes, bytes])
      this.#waiting()
    })
    this.close = () => socket.destroy()
  }

  readonly close: () => void

  async #take(enough: (bytes: Buffer) => number): Promise<Buffer> {
    for (;;) {
      const length = enough(this.#bytes)
      if (length > 0) {
        const taken = this.#bytes.subarray(0, length)
        this.#bytes = this.#bytes.subarray(length)
        return taken
      }
      await new Promise<void>(resolve => (this.#waiting = resolve))
    }
  }

  async snapshot(): Promise<Buffer> {
    const head = await this.#take(bytes => bytes.indexOf('\r\n') + 2 - (bytes.includes('\r\n') ? 0 : 1))
    const length = Number(head.toString('latin1', 1, head.length - 2))
    return this.#take(bytes => (bytes.length >= length ? length : 0))
  }

  /** All changes up to and with the command `last`. */
  changesTo(last: readonly string[]): Promise<Buffer> {
    const mark = encodeCommand(last)
    return this.#take(bytes => (bytes.includes(mark) ? bytes.indexOf(mark) + mark.length : 0))
  }
}

const READ: Record<string, (key: Buffer) => (string | Buffer)[][]> = {
  string: key => [['GET', key]],
  list: key => [['LRANGE', key, '0', '-1']],
  set: key => [['SMEMBERS', key]],
  hash: key => [['HGETALL', key]],
  zset: key => [['ZRANGE', key, '0', '-1', 'WITHSCORES']],
  stream: key => [['XINFO', 'STREAM', key, 'FULL', 'COUNT', '0']],
}

async function keysOf(client: RespClient): Promise<Buffer[]> {
  const reply = await client.command('KEYS', '*')
  const keys: Buffer[] = []
  for (let at = reply.indexOf('\r\n') + 2; at < reply.length;) {
    const eol = reply.indexOf('\r\n', at)
    const length = Number(reply.toString('latin1', at + 1, eol))
    keys.push(Buffer.from(reply.subarray(eol + 2, eol + 2 + length)))
    at = eol + 2 + length + 2
  }
  return keys.sort(Buffer.compare)
}

t.test('snapshot and changes together are the data', { skip: findRedisServer() === undefined }, async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const generator = new Generator(rng)
  // Redis 7.0 does not know the lag in every case.
  const ours = await startInProcess(t, tempDir(t), { streamExactLag: false })
  const client = await ours.connect()
  const run = async () => {
    for (let i = 0; i < COMMANDS; i++) {
      const command = generator.next()
      for (const words of [...consumersFirst(command), command]) await client.command(...words)
    }
    for (const words of [
      ['SELECT', '0'],
      ['EVAL', "redis.call('SET', 'e1', 1) redis.call('INCR', 'e2')", '0'],
    ]) {
      await client.command(...words)
    }
  }
  await client.command('FUNCTION', 'LOAD', "#!lua name=l\nredis.register_function('f', function() return 1 end)")
  await run()
  const follower = new Follower(ours.port)
  t.teardown(() => follower.close())
  const folder = tempDir(t)
  writeFileSync(join(folder, 'dump.rdb'), await follower.snapshot())
  const redis = await startRedisServer(['--dir', folder])
  t.teardown(() => redis.stop())
  const theirs = await RespClient.connect(redis.port)
  t.teardown(() => theirs.close())
  t.equal(await theirs.text('FCALL', 'f', '0'), ':1\r\n', 'functions are in the snapshot')
  await run()
  await client.command('SET', 'last', 'one')
  theirs.send(await follower.changesTo(['SET', 'last', 'one']))
  theirs.send(encodeCommand(['ECHO', 'end of the changes']))
  const refusals: string[] = []
  for (let reply = ''; !reply.includes('end of the changes');) {
    reply = (await theirs.reply()).toString('latin1')
    if (reply.startsWith('-')) refusals.push(reply)
  }
  t.same(refusals, [], 'redis-server takes every change')
  for (const db of ['0', '1']) {
    for (const side of [client, theirs]) await side.command('SELECT', db)
    const keys = await keysOf(client)
    t.same(await keysOf(theirs), keys, `keys of database ${db}`)
    for (const key of keys) {
      const type = (await client.text('TYPE', key)).slice(1, -2)
      for (const read of [...READ[type](key), ['PEXPIRETIME', key], ['TYPE', key]]) {
        const [wanted, found] = [await client.command(...read), await theirs.command(...read)]
        t.equal(comparable(read, found), comparable(read, wanted), read.map(String).join(' '))
      }
    }
  }
})

t.test('who follows is no ordinary client, and what does not fit is refused', async t => {
  const { port, connect } = await startInProcess(t, tempDir(t))
  const speaker = await connect()
  const follower = new Follower(port)
  t.teardown(() => follower.close())
  await follower.snapshot()
  t.match(await speaker.text('CLIENT', 'LIST', 'TYPE', 'replica'), / flags=S .* cmd=sync /)
  t.equal(await speaker.text('MULTI'), '+OK\r\n')
  t.equal(await speaker.text('SYNC'), '-ERR Command not allowed inside a transaction\r\n')
  await speaker.text('DISCARD')
  await speaker.text('CONFIG', 'SET', 'proto-max-bulk-len', 1024 * 1024)
  for (let i = 0; i < 2; i++) await speaker.text('SET', `k${i}`, 'x'.repeat(700_000))
  t.match(await speaker.text('SYNC'), /^-ERR the value is too large/)
  t.equal(await speaker.text('PING'), '+PONG\r\n')
})

// Hashes, sets, sorted sets, lists and KEYS over sockets whose clients read slowly: what one reply gives at once to a
// fast reader, a slow one gets too, although all of it is changed meanwhile.

import t from 'tap'
import { startInProcess } from '../support/in-process.js'
import type { RespClient } from '../support/resp-client.js'
import { becomes, SlowReader } from '../support/slow-reader.js'
import { tempDir } from '../support/temp-dir.js'

const ITEMS = 8000
const SMALL_CACHE = { pageCacheBytes: 1024 * 1024 }
const PAD = 'p'.repeat(1000)

async function run(client: RespClient, commands: readonly string[]): Promise<void> {
  client.send(commands.map(command => `${command}\r\n`).join(''))
  for (let i = 0; i < commands.length; i++) await client.reply()
}

/** Commands of 20 items each. */
function filling(of: (from: number) => string): string[] {
  return Array.from({ length: ITEMS / 20 }, (_, i) => of(i * 20))
}

const numbers = (from: number) => Array.from({ length: 20 }, (_, i) => from + i)

interface Collection {
  readonly fill: string[]
  readonly reads: readonly string[]
  readonly change: readonly string[]
}

const COLLECTIONS: Record<string, Collection> = {
  hash: {
    fill: filling(
      from =>
        `HSET k ${numbers(from)
          .map(i => `field${i} ${PAD}${i}`)
          .join(' ')}`,
    ),
    reads: ['HGETALL k', 'HVALS k'],
    change: [
      ...filling(
        from =>
          `HDEL k ${numbers(from)
            .filter(i => i % 3 === 0)
            .map(i => `field${i}`)
            .join(' ')}`,
      ),
      ...filling(
        from =>
          `HSET k ${numbers(from)
            .filter(i => i % 5 === 0)
            .map(i => `field${i} new`)
            .join(' ')}`,
      ),
    ],
  },
  'hash of fields': {
    fill: filling(
      from =>
        `HSET k ${numbers(from)
          .map(i => `${PAD}${i} v`)
          .join(' ')}`,
    ),
    reads: ['HKEYS k'],
    change: ['DEL k'],
  },
  'hash of fields that expire': {
    fill: [
      ...filling(
        from =>
          `HSET k ${numbers(from)
            .map(i => `${PAD}${i} v`)
            .join(' ')}`,
      ),
      `HEXPIRE k 1000 FIELDS 1 ${PAD}7`,
    ],
    reads: ['HGETALL k'],
    change: [
      `HDEL k ${PAD}7`,
      ...filling(
        from =>
          `HDEL k ${numbers(from)
            .map(i => `${PAD}${i}`)
            .join(' ')}`,
      ),
    ],
  },
  set: {
    fill: filling(
      from =>
        `SADD k ${numbers(from)
          .map(i => `${PAD}${i}`)
          .join(' ')}`,
    ),
    reads: ['SMEMBERS k'],
    change: filling(
      from =>
        `SREM k ${numbers(from)
          .map(i => `${PAD}${i}`)
          .join(' ')}`,
    ),
  },
  'sorted set': {
    fill: filling(
      from =>
        `ZADD k ${numbers(from)
          .map(i => `${i / 2} ${PAD}${i}`)
          .join(' ')}`,
    ),
    reads: [
      'ZRANGE k 0 -1 WITHSCORES',
      'ZREVRANGE k 5 7500',
      'ZRANGEBYSCORE k (100 3900.5 WITHSCORES LIMIT 7 7000',
      'ZRANGE k +inf 100 BYSCORE REV WITHSCORES',
    ],
    change: [
      ...filling(
        from =>
          `ZADD k ${numbers(from)
            .map(i => `${ITEMS - i} ${PAD}${i}`)
            .join(' ')}`,
      ),
      'ZREMRANGEBYRANK k 100 -100',
    ],
  },
  list: {
    fill: filling(
      from =>
        `RPUSH k ${numbers(from)
          .map(i => `${PAD}${i}`)
          .join(' ')}`,
    ),
    reads: ['LRANGE k 0 -1', 'LRANGE k 100 -500'],
    change: ['LPUSH k a b c', 'LSET k 6000 changed', 'LTRIM k 6500 -1', `LINSERT k BEFORE ${PAD}7900 x`, 'LPOP k 700'],
  },
  keys: {
    fill: filling(
      from =>
        `MSET ${numbers(from)
          .map(i => `${PAD}${i} v`)
          .join(' ')}`,
    ),
    reads: ['KEYS *', 'KEYS p*7*'],
    change: ['FLUSHALL', 'SET another v'],
  },
}

for (const [name, { fill, reads, change }] of Object.entries(COLLECTIONS)) {
  t.test(`a long reply out of a ${name} is that of its moment`, async t => {
    const { connect, port, server } = await startInProcess(t, tempDir(t), SMALL_CACHE)
    const writer = await connect()
    const other = await SlowReader.over(t, port)
    const saved = Math.floor(fill.length * 0.6)
    await run(writer, [...fill.slice(0, saved), 'SAVE', ...fill.slice(saved)])
    for (const protocol of name === 'hash' || name === 'sorted set' ? ['2', '3'] : ['3']) {
      const reader = await SlowReader.over(t, port)
      reader.send('HELLO', protocol)
      await reader.read((await other.ask('HELLO', protocol)).length)
      const expected: string[] = []
      for (const read of reads) expected.push(await other.ask(...read.split(' ')))
      // The first runs while all is changed; those behind it in the pipeline come after.
      const before = server.longReplies.started
      for (const [i, read] of reads.entries()) {
        reader.send(...read.split(' '))
        if (i === 0 && protocol === '3') {
          t.ok(await becomes(() => server.longReplies.started > before), 'it is streamed')
          await run(writer, change)
          expected.length = 1
          for (const later of reads.slice(1)) expected.push(await other.ask(...later.split(' ')))
        }
      }
      reader.send('PING')
      for (const [i, text] of expected.entries()) {
        t.ok((await reader.read(text.length)) === text, `${reads[i]} in RESP${protocol}`)
      }
      t.equal(await reader.read(7), '+PONG\r\n')
      t.equal(server.longReplies.count, 0)
      t.equal(server.longReplies.pinnedBytes, 0)
    }
  })
}

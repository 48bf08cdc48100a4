// Sends the same commands to the built server and to redis-server, in RESP2 and in RESP3, and compares the replies byte
// for byte; what may rightly differ is masked by differential/normalise.

import type { Test } from 'tap'
import { comparable } from '../differential/normalise.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'

/** Give it to t.test() as its options. */
export const needsRedis = { skip: findRedisServer() === undefined ? 'no redis-server on this machine' : false }

/** Readings of the clock in automatic IDs. */
const AUTO_ID = /\$\d+\r\n\d{13}-\d+\r\n/g

/** A command as words between blanks; `""` is the empty word, `\0` a NUL byte, `\s` a blank. */
export function words(line: string): string[] {
  const plain = (word: string) => (word === '""' ? '' : word.replaceAll('\\0', '\0').replaceAll('\\s', ' '))
  return line.trim().split(/\s+/).map(plain)
}

/** Both servers start empty for each protocol. */
export async function answersAlike(t: Test, lines: readonly string[]): Promise<void> {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  // Redis 7.0 does not know the lag in every case.
  const server = await startServer({ args: ['--stream-exact-lag', 'no'] })
  t.teardown(() => server.stop())
  for (const protocol of [2, 3] as const) {
    const theirs = await RespClient.connect(redis.port)
    const ours = await RespClient.connect(server.port)
    for (const line of protocol === 3 ? ['FLUSHALL', 'HELLO 3'] : ['FLUSHALL']) {
      await theirs.command(...words(line))
      await ours.command(...words(line))
    }
    for (const line of lines) {
      const command = words(line)
      const wanted = comparable(command, await theirs.command(...command)).replaceAll(AUTO_ID, '<id>')
      const found = comparable(command, await ours.command(...command)).replaceAll(AUTO_ID, '<id>')
      t.equal(found, wanted, `RESP${protocol} ${line}`)
    }
    theirs.close()
    ours.close()
  }
}

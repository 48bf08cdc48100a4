// Runs the same commands on a FakeContext and on redis-server and compares the exact replies. For what needs no server
// of ours: one command at a time, no time that passes.

import type { Test } from 'tap'
import type { CommandSpec } from '../../src/commands/spec.js'
import { FakeContext } from './fake-context.js'
import type { FakeArgument } from './fake-context.js'
import { findRedisServer, startRedisServer } from './redis-server.js'
import { RespClient } from './resp-client.js'

export type Line = string | readonly (Buffer | string | number)[]

/**
 * Runs `lines` on both, in RESP2 and again in RESP3, each time from an empty database.
 * @param lines commands; a text is split at its spaces
 */
export async function againstRedis(
  t: Test,
  commands: readonly CommandSpec<never>[],
  lines: readonly Line[],
): Promise<void> {
  if (findRedisServer() === undefined) {
    t.comment('no redis-server here: nothing to compare with')
    return
  }
  const redis = await startRedisServer()
  const client = await RespClient.connect(redis.port)
  try {
    for (const protocol of [2, 3] as const) {
      await client.command('HELLO', protocol)
      await client.command('FLUSHALL')
      const ours = new FakeContext(commands)
      ours.session.protocol = protocol
      for (const line of lines) {
        const args = typeof line === 'string' ? line.split(' ') : line
        const expected = await client.text(...args)
        t.equal(ours.ask(...(args as readonly FakeArgument[])), expected, `RESP${protocol} ${shown(args)}`)
      }
    }
  } finally {
    client.close()
    await redis.stop()
  }
}

function shown(args: readonly (Buffer | string | number)[]): string {
  return args.map(arg => (Buffer.isBuffer(arg) ? `<${arg.length} bytes>` : String(arg).slice(0, 60))).join(' ')
}

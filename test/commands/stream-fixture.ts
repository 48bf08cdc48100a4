// A context with the stream commands, asked line by line; replies are read back as plain values.

import RedisParser from 'redis-parser'
import { streamCommands } from '../../src/commands/stream-commands.js'
import type { FakeArgument } from '../support/fake-context.js'
import { FakeContext } from '../support/fake-context.js'

export class Streams {
  readonly ctx = new FakeContext(streamCommands)

  /** @param lines commands to begin with, words separated by single spaces; '""' is the empty word */
  constructor(...lines: string[]) {
    for (const line of lines) this.ask(line)
  }

  /** The reply as arrays, strings, numbers and null; an error as '-ERR …'; undefined when the command waits. */
  ask(line: string): unknown {
    return this.run(...line.split(' ').map(word => (word === '""' ? '' : word)))
  }

  run(...args: FakeArgument[]): unknown {
    return valueOf(this.ctx.ask(...args))
  }

  /** IDs of the stream. */
  ids(key = 's'): string {
    return (this.ask(`XRANGE ${key} - +`) as [string][]).map(([id]) => id).join(' ')
  }

  /** 'id consumer idle deliveries' of what the group has pending. */
  pending(group = 'g', key = 's'): string[] {
    return (this.ask(`XPENDING ${key} ${group} - + 1000`) as unknown[][]).map(row => row.join(' '))
  }
}

/** A reply as a plain value; '' is undefined. */
export function valueOf(reply: string): unknown {
  let value: unknown
  const parser = new RedisParser({
    stringNumbers: false,
    returnReply: parsed => (value = parsed),
    returnError: error => (value = `-${error.message}`),
  })
  parser.execute(Buffer.from(reply, 'latin1'))
  return value
}

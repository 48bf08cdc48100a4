// One cell of the matrix: commands that bring a client and its keys into a state, the command that is looked at, and
// what leads out of the state again. Cells go to a server many at a time; a PING with a mark ends each, whatever
// number of replies it has.

import { encodeCommand, replyEnd } from '../support/resp-client.js'
import type { RespClient } from '../support/resp-client.js'

export type Words = readonly (string | Buffer)[]

export interface Batch {
  /** Full name of the row. */
  readonly name: string
  readonly before: readonly Words[]
  readonly command: Words
  readonly after: readonly Words[]
}

/** In RESP2 a subscriber's PONG is an array around the text. */
const MARK = /^(\*2\r\n\$4\r\npong\r\n)?\$\d+\r\n@@\d+@@\r\n$/

/** A client that has not authenticated may leave 1 KiB unread; Redis closes it above that. */
const IN_FLIGHT = 4

/** The replies to each batch, in order. */
export async function runBatches(client: RespClient, batches: readonly Batch[]): Promise<Buffer[][]> {
  const results: Buffer[][] = []
  for (let from = 0; from < batches.length; from += IN_FLIGHT) {
    const some = batches.slice(from, from + IN_FLIGHT)
    for (const { before, command, after } of some) {
      const mark: Words = ['PING', `@@${from}@@`]
      client.send(Buffer.concat([...before, command, ...after, mark].map(encodeCommand)))
    }
    for (let i = 0; i < some.length; i++) results.push(await repliesToMark(client))
  }
  return results
}

async function repliesToMark(client: RespClient): Promise<Buffer[]> {
  const replies: Buffer[] = []
  for (;;) {
    const reply = await client.reply()
    if (MARK.test(reply.toString('latin1'))) return replies
    replies.push(reply)
  }
}

/** Splits bytes into replies; what is left over at the end is one as well. */
export function splitReplies(bytes: Buffer): Buffer[] {
  const replies: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = replyEnd(bytes, at)
    replies.push(bytes.subarray(at, end < 0 ? bytes.length : end))
    at = end < 0 ? bytes.length : end
  }
  return replies
}

// Streams over a store in memory, and the twin of a stream in a real redis-server, for the tests of this folder.

import { Redis } from 'ioredis'
import type { ChainableCommander } from 'ioredis'
import { formatId } from '../../../src/base/stream-id.js'
import type { StreamId } from '../../../src/base/stream-id.js'
import type { MemoryRows } from '../../../src/store/memory-rows.js'
import { Stream } from '../../../src/types/stream/stream.js'
import type { WireSlice } from '../../../src/types/stream/entries.js'
import type { NodeLimits } from '../../../src/types/stream/macro-nodes.js'
import { startRedisServer } from '../../support/redis-server.js'
import type { Seeded } from '../../support/seeded.js'

export const LIMITS: NodeLimits = { entriesMax: 100, bytesMax: 4096 }

/** Fields and values, one after the other. */
export type Fields = readonly (Buffer | string)[]

/** The RESP of fields and values as the tail of an XADD holds it. */
export function wireOf(fields: Fields): Buffer {
  return Buffer.concat(
    fields.flatMap(field => {
      const bytes = Buffer.isBuffer(field) ? field : Buffer.from(field, 'latin1')
      return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')]
    }),
  )
}

export function append(stream: Stream, id: StreamId, fields: Fields = ['f', 'v'], limits: NodeLimits = LIMITS): void {
  const wire = Buffer.concat([Buffer.from('before'), wireOf(fields), Buffer.from('behind')])
  stream.append(id, fields.length / 2, wire, 6, wire.length - 6, limits)
}

/** The whole entry as a reader receives it. */
export function entryWire(id: StreamId, fields: Fields = ['f', 'v']): string {
  const head = `*2\r\n$${formatId(id).length}\r\n${formatId(id)}\r\n*${fields.length}\r\n`
  return head + wireOf(fields).toString('latin1')
}

export function textOf(slices: Iterable<WireSlice>): string {
  let text = ''
  for (const { bytes, from, to } of slices) text += bytes.toString('latin1', from, to)
  return text
}

/** Writes everything, throws all that is clean out of memory and opens the stream anew. */
export function reopened(rows: MemoryRows, stream: Stream): Stream {
  rows.flushAndEvict()
  return Stream.load(rows, stream.object.id)
}

/** A whole number, seldom large, of one of the sizes at which an encoding changes. */
export function edgeInteger(random: Seeded): bigint {
  const edge = random.pick([
    0n,
    127n,
    4095n,
    32767n,
    8388607n,
    2147483647n,
    4294967295n,
    (1n << 53n) - 1n,
    (1n << 63n) - 1n,
  ])
  const value = edge + BigInt(random.between(-2, 2))
  return random.chance(0.3) ? -value : value
}

/** A value of a kind that listpacks pack in their own way. */
export function edgeValue(random: Seeded): Buffer | string {
  if (random.chance(0.4)) return String(edgeInteger(random))
  if (random.chance(0.1))
    return random.pick(['', '-', '00', '-0', '+1', '1 ', '1.0', '9223372036854775808', '-9223372036854775809'])
  const edge = random.pick([0, 1, 62, 126, 20, ...(random.chance(0.1) ? [4094, 16380] : [])])
  return random.bytes(edge + random.between(0, 3))
}

export interface RedisTwin {
  readonly client: Redis
  /** Runs commands in one go; answers in order, errors thrown. */
  run(fill: (pipeline: ChainableCommander) => void): Promise<unknown[]>
  stop(): Promise<void>
}

export async function startTwin(): Promise<RedisTwin> {
  const server = await startRedisServer(['--rdbcompression', 'no'])
  const client = new Redis({ port: server.port, host: '127.0.0.1' })
  return {
    client,
    async run(fill) {
      const pipeline = client.pipeline()
      fill(pipeline)
      const answers = (await pipeline.exec()) ?? []
      return answers.map(([error, answer]) => {
        if (error) throw error
        return answer
      })
    },
    async stop() {
      client.disconnect()
      await server.stop()
    },
  }
}

/** [name, value, …] as an object. */
export function pairsOf(answer: unknown): Record<string, unknown> {
  const flat = answer as unknown[]
  const pairs: Record<string, unknown> = {}
  for (let i = 0; i + 1 < flat.length; i += 2) pairs[String(flat[i])] = flat[i + 1]
  return pairs
}

/** Bytes of the last node's listpack in the answer to DUMP of a stream; undefined when it has no node. */
export function lastListpackBytes(dump: Buffer): number | undefined {
  let at = 1 // the type
  const length = (): number => {
    const first = dump[at++]
    if (first < 0x40) return first
    if (first < 0x80) return ((first & 0x3f) << 8) | dump[at++]
    at += 4
    return dump.readUInt32BE(at - 4)
  }
  let bytes: number | undefined
  for (let nodes = length(); nodes > 0; nodes--) {
    const keyBytes = length()
    at += keyBytes
    bytes = length()
    at += bytes
  }
  return bytes
}

// What a stream's dump tells of idempotence, from type 26 on (Redis 8.6). Used by: stream-rdb.
//
// duration (seconds), entries per producer
// producers: number, then each: name, entries: number, then each: idempotent ID (a string), ID of the entry
// entries ever added with an ID, duplicates ever found
//
// Here the digest of an ID is kept, not the ID (idempotence.ts). It is written behind a word of ours, by which it is
// known when it comes back; Redis takes it for an ID that nobody uses. An entry counts as added at the time in its ID.

import type { StreamId } from '../../base/stream-id.js'
import { digestOfId } from '../stream/idempotence.js'
import { DIGEST_BYTES } from '../stream/producer.js'
import type { Stream } from '../stream/stream.js'
import { PayloadError } from './payload-error.js'
import type { RdbReader } from './rdb-reader.js'
import type { RdbWriter } from './rdb-writer.js'

const DIGEST_WORD = Buffer.from('sha256/128:', 'latin1')
const TWO_32 = 4294967296
/** The limits of a stream of Redis that nobody touched: Redis writes them always. */
const UNTOUCHED = { durationS: 100, sizeMax: 100 }
const DURATION_S_MAX = 86_400
const SIZE_MAX = 10_000
/** The least that these take in a dump. */
const PRODUCER_BYTES_MIN = 3
const ENTRY_BYTES_MIN = 4
/** What these take in memory here, about. */
const PRODUCER_BYTES = 400
const ENTRY_BYTES = 220

export function writeIdempotence(writer: RdbWriter, stream: Stream): void {
  const used = stream.usesIdempotence
  const { durationS, sizeMax, added, duplicates } = used ? stream.idempotence.figures(0, UNTOUCHED) : NOTHING
  const producers = used ? stream.idempotence.producers() : []
  writer.length(durationS)
  writer.length(sizeMax)
  writer.length(producers.length)
  for (const producer of producers) {
    writer.text(producer.name)
    writer.length(producer.size)
    for (const { digest, id } of producer.contents()) {
      writer.string(Buffer.concat([DIGEST_WORD, Buffer.from(digest, 'latin1')]))
      writer.id(id)
    }
  }
  writer.length(added)
  writer.length(duplicates)
}

const NOTHING = { ...UNTOUCHED, added: 0, duplicates: 0 }

/** @throws PayloadError */
export function readIdempotence(reader: RdbReader, stream: Stream): void {
  const limits = { durationS: reader.length(), sizeMax: reader.length() }
  if (!(
    limits.durationS >= 1 &&
    limits.durationS <= DURATION_S_MAX &&
    limits.sizeMax >= 1 &&
    limits.sizeMax <= SIZE_MAX
  )) {
    throw new PayloadError('a window of idempotence beyond its bounds')
  }
  const names = new Set<string>()
  for (let rest = reader.count(PRODUCER_BYTES_MIN); rest > 0; rest--) {
    const name = reader.text()
    if (name === '' || names.has(name)) throw new PayloadError('a producer without a name, or two of one name')
    names.add(name)
    reader.spend(PRODUCER_BYTES + name.length)
    for (let entries = reader.count(ENTRY_BYTES_MIN); entries > 0; entries--) {
      reader.spend(ENTRY_BYTES)
      const word = reader.string()
      if (word.length === 0) throw new PayloadError('an idempotent ID that is empty')
      const id = reader.id()
      stream.idempotence.add(name, digestOf(word), id, addedMsOf(id), limits)
    }
  }
  const added = reader.length()
  const duplicates = reader.length()
  const untouched = limits.durationS === UNTOUCHED.durationS && limits.sizeMax === UNTOUCHED.sizeMax
  if (names.size > 0 || added > 0 || duplicates > 0 || !untouched) stream.idempotence.adopt(limits, added, duplicates)
}

function digestOf(word: Buffer): string {
  const length = DIGEST_WORD.length
  const ours = word.length === length + DIGEST_BYTES && word.compare(DIGEST_WORD, 0, length, 0, length) === 0
  return ours ? word.latin1Slice(length) : digestOfId(word)
}

function addedMsOf(id: StreamId): number {
  return Math.min(id.msHi * TWO_32 + id.msLo, Number.MAX_SAFE_INTEGER)
}

import t from 'tap'
import { idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { PayloadError } from '../../../src/types/rdb/payload-error.js'
import { RdbReader } from '../../../src/types/rdb/rdb-reader.js'
import { RdbWriter } from '../../../src/types/rdb/rdb-writer.js'
import { readIdempotence, writeIdempotence } from '../../../src/types/rdb/stream-idempotence-rdb.js'
import { digestOfId } from '../../../src/types/stream/idempotence.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { READ } from './rdb-fixture.js'

const NOW_MS = 1_700_000_000_000
const LIMITS = { durationS: 30, sizeMax: 4 }

function read(bytes: Buffer): Stream {
  const stream = Stream.create(new MemoryRows())
  const reader = new RdbReader(bytes, READ)
  readIdempotence(reader, stream)
  t.equal(reader.remaining, 0)
  return stream
}

function written(stream: Stream): Buffer {
  const writer = new RdbWriter(1_000_000)
  writeIdempotence(writer, stream)
  return writer.done()
}

/** What a dump tells: the limits, each producer's name and idempotent IDs, added and duplicates. */
function section(limits: number[], producers: [string, (Buffer | string)[]][], counts = [0, 0]): Buffer {
  const writer = new RdbWriter(1_000_000)
  for (const limit of limits) writer.length(limit)
  writer.length(producers.length)
  for (const [name, words] of producers) {
    writer.text(name)
    writer.length(words.length)
    words.forEach((word, i) => {
      writer.string(Buffer.from(word))
      writer.id(idOf(NOW_MS, i))
    })
  }
  for (const count of counts) writer.length(count)
  return writer.done()
}

t.test('limits, counts and every ID come back, whatever its bytes', async t => {
  const stream = Stream.create(new MemoryRows())
  const ids = ['a', '12', Buffer.from([0, 255, 10]), Buffer.alloc(70_000, 'x')]
  ids.forEach((id, i) => {
    stream.idempotence.add('p\0', digestOfId(Buffer.from(id)), idOf(NOW_MS, i), NOW_MS, LIMITS)
  })
  stream.idempotence.add('7', digestOfId(Buffer.from('a')), idOf(NOW_MS, 9), NOW_MS, LIMITS)
  stream.idempotence.countDuplicate()
  const twin = read(written(stream))
  const figures = { ...LIMITS, producers: 2, ids: 5, added: 5, duplicates: 1 }
  t.same(twin.idempotence.figures(NOW_MS, LIMITS), figures)
  ids.forEach((id, i) => {
    t.same(twin.idempotence.find('p\0', digestOfId(Buffer.from(id)), NOW_MS), idOf(NOW_MS, i))
  })
  t.same(twin.idempotence.find('7', digestOfId(Buffer.from('a')), NOW_MS), idOf(NOW_MS, 9))
  t.ok(written(twin).equals(written(stream)))
})

t.test('IDs that Redis wrote are known by what clients send', async t => {
  const stream = read(section([60, 9], [['p', ['x', '5']]], [8, 2]))
  t.same(stream.idempotence.find('p', digestOfId(Buffer.from('x')), NOW_MS), idOf(NOW_MS, 0))
  t.same(stream.idempotence.find('p', digestOfId(Buffer.from('5')), NOW_MS), idOf(NOW_MS, 1))
  t.equal(stream.idempotence.find('p', digestOfId(Buffer.from('x')), NOW_MS + 60_000), undefined, 'for its time')
})

t.test('a stream of Redis that nobody touched uses no idempotence here', async t => {
  t.notOk(read(section([100, 100], [])).usesIdempotence)
  t.ok(read(section([100, 99], [])).usesIdempotence)
  t.ok(read(section([100, 100], [], [1, 0])).usesIdempotence)
  t.ok(read(written(Stream.create(new MemoryRows()))).usesIdempotence === false)
})

t.test('what cannot be is refused', async t => {
  for (const limits of [
    [0, 5],
    [86_401, 5],
    [5, 0],
    [5, 10_001],
  ]) {
    t.throws(() => read(section(limits, [])), PayloadError)
  }
  t.throws(() => read(section([5, 5], [['', ['x']]])), PayloadError)
  t.throws(() => read(section([5, 5], [['p', ['']]])), PayloadError)
  const twice: [string, string[]][] = [
    ['p', ['x']],
    ['p', ['y']],
  ]
  t.throws(() => read(section([5, 5], twice)), PayloadError)
})

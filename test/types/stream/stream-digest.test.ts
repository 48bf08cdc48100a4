import t from 'tap'
import { ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { append, LIMITS, reopened } from './stream-fixture.js'

function digestOf(stream: Stream): string {
  const pieces: string[] = []
  stream.digest(bytes => void pieces.push(Buffer.from(bytes).toString('latin1')))
  return pieces.join('|')
}

function filled(limits = LIMITS, rows = new MemoryRows()): Stream {
  const stream = Stream.create(rows)
  for (let ms = 1; ms <= 500; ms++) append(stream, idOf(ms), ['f', String(ms)], limits)
  const group = stream.createGroup('g', ID_MIN, 0)
  group.deliver(group.ensureConsumer('alice', 5).consumer, 300, 7, false)
  return stream
}

t.test('equal streams have equal digests, whatever nodes and pages they lie in', async t => {
  const digest = digestOf(filled())
  t.equal(digestOf(filled({ entriesMax: 3, bytesMax: 0 })), digest)
  const rows = new MemoryRows()
  const stream = filled(LIMITS, rows)
  t.equal(digestOf(reopened(rows, stream)), digest)
  t.equal(digestOf(stream.copy()), digest)
})

t.test('whatever a client can see changes it', async t => {
  const changes: ((stream: Stream) => void)[] = [
    () => undefined,
    stream => append(stream, idOf(501)),
    stream => stream.delete(idOf(3)),
    stream => stream.setId(idOf(900), undefined, undefined),
    stream => stream.createGroup('h', ID_MIN, 0),
    stream => stream.group('g')!.ack(idOf(3)),
    stream => stream.group('g')!.setId(idOf(100), 100),
    stream => stream.group('g')!.consumer('alice')!.setSeen(6),
    stream => stream.group('g')!.setPending(idOf(3), stream.group('g')!.consumer('alice')!, 8, 1),
    stream => stream.group('g')!.setPending(idOf(3), stream.group('g')!.consumer('alice')!, 7, 2),
    stream => stream.group('g')!.ensureConsumer('bob', 5),
  ]
  const digests = changes.map(change => {
    const stream = filled()
    change(stream)
    return digestOf(stream)
  })
  t.equal(new Set(digests).size, changes.length)
})

import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { formatId, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { digestOfId, digestOfPairs } from '../../../src/types/stream/idempotence.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { seeded } from '../../support/seeded.js'
import { reopened } from './stream-fixture.js'

const DEFAULTS = { durationS: 1, sizeMax: 5 }

t.test('what is known is that of a plain list of what was added, over reopening and copying', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const rows = new MemoryRows()
  let stream = Stream.create(rows)
  let added: { producer: string; digest: string; id: number; ms: number }[] = []
  let limits = DEFAULTS
  let nowMs = 5000
  let counts = { added: 0, duplicates: 0 }
  /** Those in force: of each producer the youngest, and none too old. */
  const known = () =>
    added.filter(one => {
      const younger = added.filter(other => other.producer === one.producer && other.id > one.id).length
      return one.ms > nowMs - limits.durationS * 1000 && younger < limits.sizeMax
    })
  for (let step = 1; step <= 4000; step++) {
    nowMs += random.pick([0, 1, 50, 400])
    const producer = random.pick(['p', 'q', '', 'long '.repeat(50)])
    const digest = digestOfId(Buffer.from(String(random.below(12))))
    const was = known().find(one => one.producer === producer && one.digest === digest)
    const found = stream.idempotence.find(producer, digest, nowMs)
    t.equal(found && formatId(found), was && `${was.id}-0`, `step ${step}`)
    if (found !== undefined) {
      stream.idempotence.countDuplicate()
      counts.duplicates++
    } else {
      stream.idempotence.add(producer, digest, idOf(step), nowMs, DEFAULTS)
      added = added.filter(one => one.producer !== producer || one.digest !== digest)
      added.push({ producer, digest, id: step, ms: nowMs })
      counts.added++
    }
    if (random.chance(0.005)) {
      const wanted = { durationS: random.pick([1, 2]), sizeMax: random.pick([2, 5, 8]) }
      const differs = wanted.durationS !== limits.durationS || wanted.sizeMax !== limits.sizeMax
      t.equal(stream.idempotence.configure(wanted, DEFAULTS), differs)
      if (differs) added = []
      limits = wanted
    }
    if (step % 100 !== 0) continue
    const producers = new Set(known().map(one => one.producer)).size
    const expected = { ...limits, producers, ids: known().length, ...counts }
    t.same(stream.idempotence.figures(nowMs, DEFAULTS), expected)
    if (random.chance(0.5)) stream = reopened(rows, stream)
    if (random.chance(0.2)) stream = stream.copy()
    t.same(stream.idempotence.figures(nowMs, DEFAULTS), expected, 'read from its rows, or copied')
  }
  counts = { added: 0, duplicates: 0 }
})

t.test('a clock that steps back forgets nothing early', async t => {
  const { idempotence } = Stream.create(new MemoryRows())
  const [a, b] = ['a', 'b'].map(text => digestOfId(Buffer.from(text)))
  idempotence.add('p', a, idOf(1), 10_000, DEFAULTS)
  idempotence.add('p', b, idOf(2), 9000, DEFAULTS)
  t.ok(idempotence.find('p', b, 10_999))
  t.equal(idempotence.find('p', b, 11_000), undefined)
})

t.test('rows that went missing are noticed', async t => {
  const rows = new MemoryRows()
  const stream = Stream.create(rows)
  stream.idempotence.add('p', digestOfId(Buffer.from('1')), idOf(1), 1, DEFAULTS)
  const again = reopened(rows, stream)
  const scan = rows.scan.bind(rows)
  rows.scan = function* () {}
  t.throws(() => again.idempotence.find('p', 'x', 1), CorruptionError)
  rows.scan = scan
  t.equal(again.idempotence.find('p', 'x', 1), undefined)
})

t.test('held memory is given back', async t => {
  const rows = new MemoryRows()
  const before = rows.cache.heldBytes
  const stream = Stream.create(rows)
  for (let i = 0; i < 50; i++) {
    stream.idempotence.add(`p${i % 7}`, digestOfId(Buffer.from(String(i))), idOf(i + 1), i * 300, DEFAULTS)
  }
  stream.idempotence.configure({ sizeMax: 9 }, DEFAULTS)
  stream.idempotence.add('p', digestOfId(Buffer.from('1')), idOf(99), 1, DEFAULTS)
  t.ok(stream.idempotence.memoryUsage() > 0)
  stream.drop()
  t.equal(rows.cache.heldBytes, before)
})

t.test('digests: 16 bytes; an ID never stands for fields', async t => {
  t.equal(digestOfId(Buffer.from('x')).length, 16)
  const pair = digestOfPairs([Buffer.from('f'), Buffer.from('v')])
  t.equal(pair.length, 16)
  t.not(digestOfId(Buffer.from(pair, 'latin1')), pair)
  t.not(digestOfPairs([]), digestOfId(Buffer.alloc(0)))
})

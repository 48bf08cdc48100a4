import t from 'tap'
import { BY_REFERENCE_BYTES } from '../../src/resp/output-pieces.js'
import { ReplyWriter } from '../../src/resp/reply-writer.js'
import { seeded } from '../support/seeded.js'

const LONG = Buffer.alloc(3 * BY_REFERENCE_BYTES, 'page')

t.test('long wire goes by reference, short wire is copied', async t => {
  const writer = new ReplyWriter()
  writer.integer(1)
  writer.wire(LONG, 10, 10 + BY_REFERENCE_BYTES)
  writer.wire(LONG, 0, 8)
  t.equal(writer.pendingBytes, 4 + BY_REFERENCE_BYTES + 8)
  const pieces = writer.take()
  t.equal(pieces.length, 3)
  t.equal(pieces[1].buffer, LONG.buffer)
  t.equal(pieces[1].byteOffset, LONG.byteOffset + 10)
  t.not(pieces[2].buffer, LONG.buffer)
  t.equal(pieces[2].toString(), 'pagepage')
})

t.test('what was taken never changes afterwards', async t => {
  const writer = new ReplyWriter()
  const taken: Buffer[] = []
  const seen: string[] = []
  for (let i = 0; i < 500; i++) {
    const outer = writer.deferArray()
    writer.integer(i)
    writer.endArray(outer, i % 20)
    writer.truncate(writer.position)
    for (const piece of writer.take()) {
      taken.push(piece)
      seen.push(piece.toString('latin1'))
    }
  }
  t.same(
    taken.map(piece => piece.toString('latin1')),
    seen,
  )
  t.equal(writer.pendingBytes, 0)
  t.same(writer.take(), [])
})

t.test('the length of a deferred array is set without a copy of the body', async t => {
  for (const count of [0, 9, 10, 12345]) {
    const writer = new ReplyWriter()
    writer.status('before')
    const token = writer.deferArray()
    writer.wire(LONG, 0, LONG.length)
    writer.endArray(token, count)
    writer.status('after')
    const pieces = writer.take()
    t.ok(pieces.includes(LONG))
    t.equal(Buffer.concat(pieces).toString('latin1'), `+before\r\n*${count}\r\n${LONG.toString('latin1')}+after\r\n`)
  }
})

t.test('a small deferred array stays in one piece', async t => {
  const writer = new ReplyWriter()
  for (let i = 0; i < 10; i++) {
    const token = writer.deferArray()
    writer.integer(i)
    writer.endArray(token, 1)
  }
  t.equal(writer.take().length, 1)
})

t.test('deferred arrays are closed in reverse order, and before the output is taken', async t => {
  const writer = new ReplyWriter()
  const outer = writer.deferArray()
  writer.deferArray()
  t.throws(() => writer.take(), /in the middle of a deferred array/)
  t.throws(() => writer.endArray(outer, 1), /out of order/)
})

t.test('chunks grow with large output and stay small for small replies', async t => {
  const writer = new ReplyWriter()
  writer.ok()
  const small = writer.take()[0].buffer.byteLength
  t.ok(small <= 8192, `${small} bytes for one small reply`)
  for (let i = 0; i < 20_000; i++) writer.integer(i)
  t.ok(writer.take().length < 20)
})

/** The obvious way: a list of texts; a deferred header is a text put in later. */
class Model {
  texts: string[] = []
  open: number[] = []
  get length(): number {
    return this.texts.join('').length
  }
}

t.test('random writing, deferring and taking back equals the obvious model', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  for (let round = 0; round < 150; round++) {
    const writer = new ReplyWriter()
    const model = new Model()
    let output = ''
    const marks: { position: number; texts: number; open: number }[] = []
    for (let step = 0; step < 60; step++) {
      const kind = rng.below(8)
      const size = Math.floor(rng.fraction() ** 4 * LONG.length)
      if (kind <= 1) {
        writer.wire(LONG, 0, size)
        model.texts.push(LONG.toString('latin1', 0, size))
      } else if (kind === 2) {
        writer.bulk(LONG.subarray(0, size))
        model.texts.push(`$${size}\r\n${LONG.toString('latin1', 0, size)}\r\n`)
      } else if (kind === 3 && model.open.length < 4) {
        t.equal(writer.deferArray(), model.open.length)
        model.open.push(model.texts.push('????') - 1)
      } else if (kind === 4 && model.open.length > 0) {
        const at = model.open.pop()!
        const count = size % 1000
        writer.endArray(model.open.length, count)
        model.texts[at] = `*${count}\r\n`
        // A mark inside the array just closed no longer names a place.
        while (marks.length > 0 && marks.at(-1)!.open > model.open.length) marks.pop()
      } else if (kind === 5) {
        marks.push({ position: writer.position, texts: model.texts.length, open: model.open.length })
      } else if (kind === 6 && marks.length > 0) {
        const mark = marks.pop()!
        writer.truncate(mark.position)
        model.texts.length = mark.texts
        model.open.length = mark.open
      } else if (kind === 7 && model.open.length === 0) {
        output += Buffer.concat(writer.take()).toString('latin1')
        if (output.slice(-model.length || output.length) !== model.texts.join('')) t.fail(`round ${round} step ${step}`)
        model.texts = []
        marks.length = 0
      }
      if (writer.pendingBytes !== model.length) t.fail(`pendingBytes, round ${round} step ${step}`)
    }
  }
})

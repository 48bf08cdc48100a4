import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { compareIdAt, formatId, idOf } from '../../src/base/stream-id.js'
import { WIRE_BODY_BYTES_MAX, wireCodec, WirePage } from '../../src/pages/wire-page.js'
import { seeded } from '../support/seeded.js'

function fieldsOf(length: number): Buffer {
  return Buffer.from(`$1\r\nv\r\n$${length}\r\n${'x'.repeat(length)}\r\n`)
}

function append(page: WirePage, n: number, length = 5): void {
  const fields = fieldsOf(length)
  page.append(idOf(n), 1, fields, 0, fields.length)
}

function numbersIn(page: WirePage): number[] {
  return Array.from({ length: page.count }, (_, i) => Number.parseInt(formatId(page.keyAt(i))))
}

/** The same page as the disk gives it back: nothing is known of it but its bytes. */
function reloaded(page: WirePage): WirePage {
  return wireCodec.decode(Buffer.from(page.encodeBody()), page.count)
}

t.test('an entry is stored as a reader receives it', async t => {
  const page = wireCodec.empty()
  const command = Buffer.from('…$1\r\nf\r\n$3\r\nabc\r\n$1\r\ng\r\n$0\r\n\r\n…')
  page.append(idOf(1526919030474, 55), 2, command, 3, command.length - 3)
  t.equal(
    page.encodeBody().toString(),
    '*2\r\n$16\r\n1526919030474-55\r\n*4\r\n$1\r\nf\r\n$3\r\nabc\r\n$1\r\ng\r\n$0\r\n\r\n',
  )
})

t.test('a page and a sorted array agree, and bytes once handed out never change', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 60; round++) {
    const page = wireCodec.empty()
    const model: number[] = []
    const handedOut: { slice: Buffer; copy: Buffer }[] = []
    let n = 1_000
    for (let step = 0; step < 60; step++) {
      const choice = random.below(8)
      if (choice < 4) {
        n += random.between(1, 3)
        append(page, n, random.below(120))
        model.push(n)
      } else if (choice === 4) {
        const from = random.chance(0.3) ? 0 : random.between(0, model.length)
        const to = random.chance(0.3) ? model.length : random.between(from, model.length)
        page.removeRange(from, to)
        model.splice(from, to - from)
      } else if (choice === 5 && model.length > 1) {
        const right = page.splitOff(random.between(1, model.length - 1))
        page.absorb(random.chance(0.5) ? right : reloaded(right))
      } else if (choice === 6) {
        t.equal(
          page.lowerBound(idOf(n - 3)),
          model.findIndex(m => m >= n - 3) === -1 ? model.length : model.findIndex(m => m >= n - 3),
        )
      } else {
        const slice = page.bytes.subarray(page.start, page.used)
        handedOut.push({ slice, copy: Buffer.from(slice) })
      }
      if (model.length > 0) {
        const again = reloaded(page)
        t.same(numbersIn(again), model)
        for (let i = 0; i <= model.length; i++) {
          if (again.offsetOf(i) !== page.offsetOf(i) - page.start) t.fail(`offset of entry ${i}`)
        }
      }
      if (random.chance(0.5)) t.same(numbersIn(page), model)
    }
    for (const { slice, copy } of handedOut) if (!slice.equals(copy)) t.fail('bytes handed out have changed')
  }
})

t.test('removing from the front moves no byte', async t => {
  const page = wireCodec.empty()
  for (let n = 1; n <= 10; n++) append(page, n)
  const { bytes } = page
  page.removeRange(0, 4)
  t.equal(page.bytes, bytes)
  t.same(numbersIn(page), [5, 6, 7, 8, 9, 10])
})

t.test('a page that is trimmed as fast as it grows stays small', async t => {
  const page = wireCodec.empty()
  for (let n = 1; n <= 5_000; n++) {
    t.ok(page.fits(fieldsOf(5).length))
    append(page, n)
    if (page.count > 10) page.removeRange(0, 1)
  }
  t.same(numbersIn(page).at(-1), 5_000)
  t.ok(page.bytes.length < 4_096)
})

t.test('a page says when the next entry does not fit', async t => {
  const page = wireCodec.empty()
  let n = 0
  while (page.fits(fieldsOf(90).length)) append(page, ++n, 90)
  t.ok(page.bodyBytes <= WIRE_BODY_BYTES_MAX)
  t.ok(page.bodyBytes > WIRE_BODY_BYTES_MAX - 200)
  t.ok(page.bytes.length <= WIRE_BODY_BYTES_MAX)
})

t.test('an entry larger than a page takes about its own size', async t => {
  const page = wireCodec.empty()
  append(page, 1, 3_000_000)
  t.equal(page.count, 1)
  t.ok(page.bytes.length < page.used + 100)
  append(page, 2)
  t.same(numbersIn(reloaded(page)), [1, 2])
})

t.test('an ID is given as the bytes a record begins with', async t => {
  const page = wireCodec.empty()
  append(page, 1_700_000_000_000)
  const target = Buffer.alloc(20)
  page.idBytesAt(0, target, 4)
  t.equal(compareIdAt(target, 4, idOf(1_700_000_000_000)), 0)
})

t.test('indexAtBytes gives the entries that fit', async t => {
  const page = wireCodec.empty()
  for (let n = 1; n <= 9; n++) append(page, n)
  const entryBytes = page.endOf(0) - page.offsetOf(0)
  for (let bytes = 0; bytes <= page.bodyBytes + 2; bytes++) {
    t.equal(page.indexAtBytes(bytes), Math.min(9, Math.floor(bytes / entryBytes)))
  }
})

t.test('bytes that are no page are refused when its entries are looked for', async t => {
  const page = wireCodec.empty()
  for (let n = 1; n <= 5; n++) append(page, n)
  const body = page.encodeBody()
  t.throws(() => wireCodec.decode(Buffer.alloc(0), 1), CorruptionError)
  t.throws(() => wireCodec.decode(body, 4).keyAt(0), CorruptionError, 'fewer entries than said')
  t.throws(() => wireCodec.decode(body, 6).keyAt(0), CorruptionError, 'more entries than said')
  const swapped = Buffer.concat([body.subarray(page.offsetOf(1)), body.subarray(0, page.offsetOf(1))])
  t.throws(() => wireCodec.decode(swapped, 5).keyAt(0), CorruptionError, 'out of order')
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let i = 0; i < 500; i++) {
    const damaged = Buffer.from(body)
    damaged[random.below(body.length)] ^= 1 << random.below(8)
    try {
      t.equal(numbersIn(wireCodec.decode(damaged, 5)).length, 5)
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error
    }
  }
})

t.test('a page with room reserved fills up without being copied', async t => {
  const page = wireCodec.empty()
  page.reserve()
  const { bytes } = page
  const fields = Buffer.from('$1\r\nf\r\n$1\r\nv\r\n')
  let n = 0
  while (page.fits(fields.length)) page.append(idOf(1_700_000_000_000 + n++), 1, fields, 0, fields.length)
  t.ok(n > 200)
  t.equal(page.bytes, bytes)
  t.same(page.keyAt(n - 1), idOf(1_700_000_000_000 + n - 1))
})

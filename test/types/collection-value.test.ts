import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { Table } from '../../src/store/row.js'
import { CollectionValue } from '../../src/types/collection-value.js'
import type { Contents, Trees } from '../../src/types/collection-value.js'

/** A text that is kept in the head row, or, beginning with 'T', pretends to lie in tree 77. */
class Text implements Contents {
  readonly count: number
  readonly memoryBytes: number
  readonly form: number
  readonly trees: Trees | undefined
  released = false

  constructor(readonly text: string) {
    this.count = this.memoryBytes = text.length
    this.form = text.startsWith('T') ? 0 : 1
    if (this.form === 0) {
      this.trees = { ids: [77], release: () => void (this.released = true), check: () => true }
    }
  }

  encode(): Buffer {
    return Buffer.from(this.text)
  }
}

class TextValue extends CollectionValue<Text> {
  readonly type = 'string'
  readonly encoding = 'text'
  reads = 0

  static of(rows: MemoryRows, text: string): TextValue {
    const value = new TextValue(rows, rows.newId(), undefined)
    value.write(text)
    return value
  }

  static stored(rows: MemoryRows, objectId: number): TextValue {
    return new TextValue(rows, objectId, undefined)
  }

  get text(): Text {
    return this.contents
  }

  write(text: string): void {
    const contents = new Text(text)
    this.willChange(contents)
    this.didChange(contents)
  }

  copy(): TextValue {
    const twin = TextValue.of(this.rows as MemoryRows, '')
    twin.copyFrom(this)
    return twin
  }

  salvaged(): undefined {}

  digest(): void {}

  protected decode(form: number, bytes: Buffer, what: string): Text {
    if (form > 1) throw new CorruptionError(`${what} has the unknown form ${form}`)
    this.reads++
    return new Text(bytes.toString())
  }

  protected copyOfTrees(contents: Text): Text {
    return new Text(`${contents.text} copied`)
  }
}

t.test('small contents stay while dirty, are evicted when clean, and are read again', async t => {
  const rows = new MemoryRows()
  const value = TextValue.of(rows, 'hello')
  t.notOk(value.evict(), 'dirty')
  t.same(value.encodeRow(), Buffer.from('\x01\x01hello'))
  rows.flush()
  t.ok(value.evict())
  t.equal(value.count, 5)
  t.equal(value.text.text, 'hello')
  t.equal(value.reads, 1)
  t.equal(TextValue.stored(rows, value.object.id).text.text, 'hello')
})

t.test('the cache knows of clean small contents, and not of trees', async t => {
  const rows = new MemoryRows()
  const value = TextValue.of(rows, 'x'.repeat(1000))
  t.equal(rows.cache.bytesUsed, 0)
  rows.flush()
  t.equal(rows.cache.bytesUsed, value.cachedBytes)
  t.ok(value.cachedBytes > 1000)
  value.write('y'.repeat(3000))
  t.equal(rows.cache.bytesUsed, value.cachedBytes)
  value.write('T')
  t.equal(rows.cache.bytesUsed, 0)
  rows.flush()
  t.equal(rows.cache.bytesUsed, 0)
})

t.test('a copy has contents of its own', async t => {
  const rows = new MemoryRows()
  t.equal(TextValue.of(rows, 'small').copy().text.text, 'small')
  t.equal(TextValue.of(rows, 'Tree').copy().text.text, 'Tree copied')
})

t.test('dropping releases trees and deletes the head', async t => {
  const rows = new MemoryRows()
  const value = TextValue.of(rows, 'Tree')
  rows.flush()
  const contents = value.text
  value.drop()
  rows.flush()
  t.ok(contents.released)
  t.equal(rows.rowCount(Table.Heads), 0)
})

t.test('heads that are missing, cut off or of another version are refused by name', async t => {
  const rows = new MemoryRows()
  t.throws(() => TextValue.stored(rows, 9).count, { message: 'head of string 9 is missing' })
  for (const [bytes, message] of [
    [Buffer.from([1]), 'head of string 9 is cut off'],
    [Buffer.from([2, 1]), 'head of string 9 has version 2, not 1'],
    [Buffer.from([1, 7]), 'head of string 9 has the unknown form 7'],
  ] as const) {
    const damaged = Object.create(rows, { read: { value: () => bytes } }) as MemoryRows
    t.throws(() => TextValue.stored(damaged, 9).count, { name: 'CorruptionError', message })
  }
})

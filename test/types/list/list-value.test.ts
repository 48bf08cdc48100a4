import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Table } from '../../../src/store/row.js'
import { ListValue, listType } from '../../../src/types/list/list-value.js'
import { seeded } from '../../support/seeded.js'

function elementsOf(list: ListValue, from = 0, to = list.count): string[] {
  const elements: string[] = []
  list.visit(from, to, false, (page, first, end) => {
    for (let i = first; i < end; i++) elements.push(page.at(i).toString('latin1'))
    return false
  })
  return elements
}

function backwards(list: ListValue, from: number, to: number): string[] {
  const elements: string[] = []
  list.visit(from, to, true, (page, first, end) => {
    for (let i = end - 1; i >= first; i--) elements.push(page.at(i).toString('latin1'))
    return false
  })
  return elements
}

function removeEqual(model: string[], value: string, max: number, last: boolean): number {
  let removed = 0
  for (let i = last ? model.length - 1 : 0; i >= 0 && i < model.length && removed < max;) {
    const equal = model[i] === value
    if (equal) model.splice(i, 1)
    if (equal) removed++
    if (last) i--
    else if (!equal) i++
  }
  return removed
}

t.test('lists of every size equal an array through flushes, evictions, reloads and copies', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  for (const [size, growth, steps] of [
    [10, 0.5, 3000],
    [40, 0.6, 6000],
    [900, 0.55, 3000],
    [20_000, 0.6, 300],
  ]) {
    const rows = new MemoryRows(1024)
    let list = ListValue.create(rows)
    const model: string[] = []
    for (let step = 0; step < steps; step++) {
      const value = rng.chance(0.3) ? Buffer.from(`v${rng.below(5)}`) : rng.bytes(rng.below(size))
      const text = value.toString('latin1')
      const at = rng.pick([0, model.length, rng.between(0, model.length)])
      const chance = rng.below(100)
      if (chance < growth * 100) {
        list.insert(at, value)
        model.splice(at, 0, text)
      } else if (chance < 70 && at < model.length) {
        list.replace(at, value)
        model[at] = text
      } else if (chance < 75) {
        const max = rng.pick([1, 2, Infinity])
        const last = rng.chance(0.5)
        t.equal(list.removeEqual(value, max, last), removeEqual(model, text, max, last))
      } else if (chance < 76 && rng.chance(0.3)) {
        const to = rng.between(at, model.length)
        list.removeRange(at, to)
        model.splice(at, to - at)
      } else if (at < model.length) {
        const run = Math.min(rng.between(1, 3), model.length - at)
        list.removeRange(at, at + run)
        model.splice(at, run)
      }
      if (model.length > 0) {
        const index = rng.below(model.length)
        if (list.at(index).toString('latin1') !== model[index]) t.fail(`element ${index} differs at step ${step}`)
      }
      if (rng.chance(0.02)) {
        const from = rng.between(0, model.length)
        const to = rng.between(from, model.length)
        t.same(elementsOf(list, from, to), model.slice(from, to))
        t.same(backwards(list, from, to), model.slice(from, to).reverse())
        t.equal(list.indexOf(value), model.indexOf(text))
      }
      if (rng.chance(0.01)) {
        rows.flushAndEvict()
        if (rng.chance(0.5)) list = ListValue.stored(rows, list.object.id)
      }
      if (rng.chance(0.003)) {
        const twin = list.copy()
        list.drop()
        list = twin
      }
    }
    t.equal(list.count, model.length)
    t.same(elementsOf(list), model)
    rows.flush()
    rows.verifyClean([list])
    list.drop()
    rows.flush()
    for (const table of [Table.Heads, Table.Blocks, Table.Pages]) t.equal(rows.rowCount(table), 0)
  }
})

t.test('elements tiny and huge come and go at the ends as in an array', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const rows = new MemoryRows()
  const list = ListValue.create(rows)
  const model: string[] = []
  for (let step = 0; step < 6_000; step++) {
    const atTail = rng.chance(0.5)
    const at = atTail ? model.length : 0
    for (let k = rng.below(6); k > 0; k--) {
      const text = rng.pick(['', 'a', 'b'.repeat(3_000), 'c'.repeat(8_000), 'd'.repeat(9_000)]) + step
      list.insert(at === 0 ? 0 : list.count, Buffer.from(text))
      if (at === 0) model.unshift(text)
      else model.push(text)
    }
    for (let k = rng.below(6); k > 0 && model.length > 0; k--) {
      const from = atTail ? model.length - 1 : 0
      list.removeRange(from, from + 1)
      model.splice(from, 1)
    }
    if (step % 100 === 0) t.same(elementsOf(list), model)
    if (rng.chance(0.01)) rows.flush()
  }
  t.same(elementsOf(list), model)
})

t.test('a queue of many elements keeps its order, and pages that are used up go', async t => {
  const rows = new MemoryRows()
  const list = ListValue.create(rows)
  const value = (i: number) => Buffer.from(`element ${i}`)
  for (let i = 0; i < 60_000; i++) list.pushLast(value(i))
  rows.flushAndEvict()
  t.equal(rows.rowCount(Table.Heads), 1)
  t.ok(rows.rowCount(Table.Blocks) >= 1)
  t.equal(list.at(31_415).toString(), 'element 31415')
  t.equal(list.at(59_999).toString(), 'element 59999')
  for (let i = 0; i < 59_000; i++) {
    if (!list.at(0).equals(value(i))) t.fail(`element ${i} is not the first`)
    list.removeRange(0, 1)
  }
  for (let i = 60_000; i < 61_000; i++) list.pushLast(value(i))
  t.equal(list.count, 2_000)
  rows.flush()
  t.ok(rows.rowCount(Table.Pages) <= 5, `${rows.rowCount(Table.Pages)} pages`)
})

t.test('pushing fills pages, at both ends', async t => {
  const rows = new MemoryRows()
  for (const push of ['pushFirst', 'pushLast'] as const) {
    const list = ListValue.create(rows)
    const before = rows.rowCount(Table.Pages)
    for (let i = 0; i < 10_000; i++) list[push](Buffer.alloc(99))
    rows.flush()
    // 81 elements of 100 bytes to a page of 8,160.
    t.ok(rows.rowCount(Table.Pages) - before <= 10_000 / 81 + 2, `${rows.rowCount(Table.Pages) - before} pages`)
  }
})

t.test('pushing and popping in turn where a page is full does not make a page each time', async t => {
  const rows = new MemoryRows()
  for (const atTail of [true, false]) {
    const list = ListValue.create(rows)
    // 24 full pages of 81 elements, but for two.
    for (let i = 0; i < 1_942; i++) list.insert(atTail ? list.count : 0, Buffer.alloc(99))
    for (let i = 0; i < 5_000; i++) {
      for (let k = 0; k < 5; k++) list.insert(atTail ? list.count : 0, Buffer.alloc(99))
      for (let k = 0; k < 5; k++) list.removeRange(atTail ? list.count - 1 : 0, atTail ? list.count : 1)
    }
    t.equal(list.count, 1_942)
    t.ok(rows.dirtyCount < 40, `${rows.dirtyCount} rows to be written`)
    rows.flush()
  }
})

t.test('OBJECT ENCODING and code are those of Redis and of the directory', async t => {
  const list = ListValue.create(new MemoryRows())
  list.pushLast(Buffer.from('a'))
  t.equal(list.encoding, 'quicklist')
  for (let i = 0; i < 5_000; i++) list.pushLast(Buffer.from('a'))
  t.equal(list.encoding, 'quicklist')
  t.same([listType.name, listType.code], ['list', 2])
})

t.test('a digest depends on content and order alone', async t => {
  const rows = new MemoryRows()
  const digest = (list: ListValue) => {
    const pieces: Uint8Array[] = []
    list.digest(bytes => void pieces.push(Buffer.from(bytes)))
    return Buffer.concat(pieces).toString('latin1')
  }
  const make = (...values: string[]) => {
    const list = ListValue.create(rows)
    for (const value of values) list.pushLast(Buffer.from(value))
    return list
  }
  t.equal(digest(make('a', 'b')), digest(make('a', 'b')))
  t.not(digest(make('a', 'b')), digest(make('b', 'a')))
  t.not(digest(make('ab', '')), digest(make('a', 'b')))
})

t.test('damaged rows are refused by name', async t => {
  for (const [row, message] of [
    ['02010000000100', /version 2/],
    ['01070000000100', /unknown form 7/],
    ['0101000000', /cut off/],
    ['01010000000200', /2 elements in 1 bytes/],
    ['0101000000010100', undefined],
    ['01', /cut off/],
  ] as const) {
    const rows = new MemoryRows()
    rows.read = () => Buffer.from(row, 'hex')
    const list = ListValue.stored(rows, 1)
    if (message === undefined) t.equal(list.at(0).toString('hex'), '00')
    else t.throws(() => list.count, { constructor: CorruptionError, message })
  }
  t.throws(() => ListValue.stored(new MemoryRows(), 1).count, /missing/)
})

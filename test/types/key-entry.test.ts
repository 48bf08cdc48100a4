import t from 'tap'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { Table } from '../../src/store/row.js'
import { decodeDirectoryRow } from '../../src/types/directory-row.js'
import { Deadline } from '../../src/types/expiry.js'
import { KeyEntry } from '../../src/types/key-entry.js'
import type { TypeSpec } from '../../src/types/key-value.js'
import { Slot } from '../../src/types/slot.js'
import { StringValue, stringType } from '../../src/types/string/string-value.js'

function setUp(text = 'content') {
  const rows = new MemoryRows()
  const value = StringValue.create(rows, text)
  const entry = new KeyEntry(new Slot(2, rows), 'name', stringType, value)
  return { rows, value, entry }
}

t.test('its row says name, type, object and expiry', async t => {
  const { value, entry } = setUp()
  t.equal(entry.table, Table.Directory)
  const plain = { name: 'name', typeCode: stringType.code, objectId: value.object.id, expireAtMs: 0 }
  t.match(decodeDirectoryRow(entry.rowKey(), entry.encodeRow()), plain)
  entry.deadline = new Deadline(entry, 1_700_000_000_123)
  t.match(decodeDirectoryRow(entry.rowKey(), entry.encodeRow()), { ...plain, expireAtMs: 1_700_000_000_123 })
})

t.test('a value is loaded at its first use, and only then', async t => {
  const { rows, value, entry } = setUp()
  let loads = 0
  const spec: TypeSpec = {
    ...stringType,
    load: (...args) => {
      loads++
      return stringType.load(...args)
    },
  }
  rows.flush()
  const unloaded = new KeyEntry(entry.slot, 'name', spec, value.object.id)
  t.equal(unloaded.objectId, value.object.id)
  t.equal(unloaded.type, 'string')
  t.equal(loads, 0)
  t.equal((unloaded.value as StringValue).content(), 'content')
  t.equal(unloaded.value, unloaded.value)
  t.equal(loads, 1)
})

t.test('dropping does not load what its type can drop unloaded', async t => {
  const { entry, value } = setUp()
  const dropped: number[] = []
  const spec: TypeSpec = {
    ...stringType,
    load: () => t.fail('it was loaded') as never,
    dropUnloaded: (_rows, objectId) => void dropped.push(objectId),
  }
  new KeyEntry(entry.slot, 'name', spec, value.object.id).dropValue()
  t.same(dropped, [value.object.id])
  entry.dropValue()
  t.ok(value.object.droppedEpoch > 0)
})

t.test('access times are whole seconds', async t => {
  const { entry } = setUp()
  entry.accessMs = 1_700_000_000_999
  t.equal(entry.accessMs, 1_700_000_000_000)
})

t.test('another value may come behind the same key', async t => {
  const { rows, entry } = setUp()
  const next = StringValue.create(rows, 'other')
  entry.replace(stringType, next)
  t.equal(entry.value, next)
  t.equal(entry.objectId, next.object.id)
})

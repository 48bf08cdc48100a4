import t from 'tap'
import { Table, TABLE_COUNT } from '../../src/store/row.js'
import { rowName, TABLE_NAMES } from '../../src/store/table-name.js'

t.test('every table has its own name, and messages use it', async t => {
  t.equal(new Set(TABLE_NAMES).size, TABLE_COUNT)
  t.equal(rowName(Table.Retired, Buffer.from([0, 255])), 'row 00ff of table retired')
  t.equal(rowName(Table.Meta, Buffer.alloc(0)), 'row  of table meta')
})

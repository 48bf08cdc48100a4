import t from 'tap'
import { FakeClock } from '../../../src/base/clock.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Keyspace } from '../../../src/types/keyspace.js'
import { rdbFileOf } from '../../../src/types/rdb/rdb-file.js'
import { StringValue } from '../../../src/types/string/string-value.js'

function keyspaceOf(): Keyspace {
  return new Keyspace({ rows: new MemoryRows(), databases: 4, clock: new FakeClock(1000) })
}

t.test('a file has a head, its databases, and a checksum', async t => {
  const keyspace = keyspaceOf()
  t.equal(rdbFileOf(keyspace, 100).toString('latin1', 0, 10), 'REDIS0010\xff', 'nothing')
  const db = keyspace.database(2)
  db.put('key', StringValue.create(keyspace.rows, 'text'))
  db.setExpiry(db.put('n', StringValue.create(keyspace.rows, '5')), 258_000)
  const body = rdbFileOf(keyspace, 100).subarray(9, -8).toString('latin1')
  t.ok(body.startsWith('\xfe\x02'))
  t.ok(body.includes('\x00\x03key\x04text'))
  t.ok(body.includes('\xfc\xd0\xef\x03\x00\x00\x00\x00\x00\x00\x01n\xc0\x05'))
  t.ok(body.endsWith('\xff'))
})

t.test('what is overdue is left out, what does not fit refused', async t => {
  const keyspace = keyspaceOf()
  const db = keyspace.database(0)
  db.setExpiry(db.put('gone', StringValue.create(keyspace.rows, 'x')), 999)
  t.notOk(rdbFileOf(keyspace, 100).includes('gone'))
  db.put('long', StringValue.create(keyspace.rows, 'x'.repeat(1000)))
  t.throws(() => rdbFileOf(keyspace, 100), /too large/)
})

import { readFileSync } from 'node:fs'
import t from 'tap'
import { PAGE_KIND } from '../../../src/pages/page.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { HashValue } from '../../../src/types/hash/hash-value.js'
import { FieldHash, HASH_BYTES, SEED_BYTES } from '../../../src/types/hashed/field-hash.js'
import { FORM } from '../../../src/types/hashed/fields.js'

const text = readFileSync(new URL('../../../docs/format/hash.md', import.meta.url), 'utf8')
const LIMITS = { entriesMax: 512, valueBytesMax: 64 }

t.test('the example is what the code does', async t => {
  const hash = HashValue.create(new MemoryRows())
  hash.set('f', '1', LIMITS)
  hash.set('g', 'two', LIMITS)
  const line = text.split('\n').find(candidate => candidate.startsWith('listpack  ')) ?? ''
  t.equal(hash.encodeRow().toString('hex'), line.slice('listpack'.length).replaceAll(' ', ''))
})

t.test('forms, page kind and hash are those of the text', async t => {
  t.match(text, `| ${FORM.tree} | hashtable | a tree |`)
  t.match(text, `| ${FORM.packed} | hashtable | packed |`)
  t.match(text, `| ${FORM.listpack} | listpack | packed |`)
  t.match(text, `| ${FORM.expiringTree} | hashtable | a tree, with expiries |`)
  t.match(text, `| ${FORM.expiringPacked} | hashtable | packed, with expiries |`)
  t.match(text, `| ${FORM.expiringListpack} | listpackex | packed, with expiries |`)
  t.match(text, `(page kind ${PAGE_KIND.fields})`)
  const [, seed, name, hash] = /seed `(\w+)` the name `(\w+)` hashes to `(\w+)`/.exec(text)!
  const key = new FieldHash(Buffer.from(seed, 'hex')).keyOf(name)
  t.equal(key.subarray(0, HASH_BYTES).toString('hex'), hash)
})

t.test('the head of a tree begins with its seed', async t => {
  const hash = HashValue.create(new MemoryRows())
  hash.set('f', 'x'.repeat(5000), LIMITS)
  const row = hash.encodeRow()
  t.equal(row[1], FORM.tree)
  t.equal(row[2 + SEED_BYTES], 1, 'version of the root')
  t.equal(row[2 + SEED_BYTES + 1], PAGE_KIND.fields)
})

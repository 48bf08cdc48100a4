import { readFileSync } from 'node:fs'
import t from 'tap'
import { ByteReader } from '../../../src/pages/byte-reader.js'
import { PAGE_KIND } from '../../../src/pages/page.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { SEED_BYTES } from '../../../src/types/hashed/field-hash.js'
import { scoreKey } from '../../../src/types/zset/score-key.js'
import { ZSET_FORM } from '../../../src/types/zset/scored-members.js'
import { ZsetValue } from '../../../src/types/zset/zset-value.js'

const text = readFileSync(new URL('../../../docs/format/zset.md', import.meta.url), 'utf8')
const LIMITS = { entriesMax: 128, memberBytesMax: 64 }

t.test('the example is what the code does', async t => {
  const zset = ZsetValue.create(new MemoryRows())
  zset.set('a', 1.5, undefined, LIMITS)
  zset.set('b', 1, undefined, LIMITS)
  const line = text.split('\n').find(candidate => candidate.startsWith('listpack  ')) ?? ''
  t.equal(zset.encodeRow().toString('hex'), line.slice('listpack'.length).replaceAll(' ', ''))
})

t.test('sort bytes are those of the table', async t => {
  const rows = [...text.matchAll(/^\| (\S+) \| `(\w{16})` \|$/gm)]
  t.equal(rows.length, 5)
  for (const [, score, bytes] of rows) {
    t.equal(scoreKey(Number(score.replace('inf', 'Infinity'))).toString('hex'), bytes, score)
  }
})

t.test('forms and page kinds are those of the text', async t => {
  t.match(text, `| ${ZSET_FORM.tree} | skiplist | two trees |`)
  t.match(text, `| ${ZSET_FORM.packed} | skiplist | packed |`)
  t.match(text, `| ${ZSET_FORM.listpack} | listpack | packed |`)
  t.match(text, `(page kind ${PAGE_KIND.fields}, [hash]`)
  t.match(text, `(page kind ${PAGE_KIND.scores})`)
})

t.test('the head of a large one holds both roots', async t => {
  const zset = ZsetValue.create(new MemoryRows())
  zset.set('x'.repeat(5000), 1, undefined, LIMITS)
  const row = zset.encodeRow()
  t.equal(row[1], ZSET_FORM.tree)
  const reader = new ByteReader(row.subarray(2), 'a head')
  const [byMember, byScore] = [reader.sized(), reader.sized()]
  reader.end()
  t.equal(byMember[SEED_BYTES + 1], PAGE_KIND.fields, 'behind the seed and the version')
  t.equal(byScore[1], PAGE_KIND.scores, 'behind the version')
})

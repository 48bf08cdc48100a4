import { readFileSync } from 'node:fs'
import t from 'tap'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { SetValue } from '../../../src/types/set/set-value.js'

const text = readFileSync(new URL('../../../docs/format/set.md', import.meta.url), 'utf8')

function example(word: string): string {
  const line = text.split('\n').find(candidate => candidate.startsWith(`${word}  `)) ?? ''
  return line.slice(word.length).replaceAll(' ', '')
}

t.test('the examples are what the code does', async t => {
  const integers = SetValue.create(new MemoryRows())
  for (const member of ['5', '-1']) integers.add(member, 512)
  t.equal(integers.encodeRow().toString('hex'), example('integers'))
  const packed = SetValue.create(new MemoryRows())
  for (const member of ['b', 'a']) packed.add(member, 512)
  t.equal(packed.encodeRow().toString('hex'), example('packed'))
})

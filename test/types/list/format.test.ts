import { readFileSync } from 'node:fs'
import t from 'tap'
import { ELEMENT_BODY_BYTES_MAX, ElementPage } from '../../../src/pages/element-page.js'
import { PAGE_KIND } from '../../../src/pages/page.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { ListValue } from '../../../src/types/list/list-value.js'

const text = readFileSync(new URL('../../../docs/format/list.md', import.meta.url), 'utf8')
const ELEMENTS = ['a', '', 'bc'].map(element => Buffer.from(element))

function example(word: string): string {
  const line = text.split('\n').find(candidate => candidate.startsWith(`${word}  `)) ?? ''
  return line.slice(word.length).replaceAll(' ', '')
}

t.test('the examples are what the code does', async t => {
  const list = ListValue.create(new MemoryRows())
  const page = ElementPage.empty()
  for (const element of ELEMENTS) {
    list.pushLast(element)
    page.insert(page.count, element)
  }
  t.equal(list.encodeRow().toString('hex'), example('packed'))
  t.equal(page.encodeBody().toString('hex'), example('page'))
})

t.test('the numbers named are those of the code', async t => {
  t.match(text, `page kind ${PAGE_KIND.elements};`)
  t.match(text, `${ELEMENT_BODY_BYTES_MAX.toLocaleString('en-US')} bytes at most`)
  const list = ListValue.create(new MemoryRows())
  const formAt = (bytes: number): number => {
    while (list.count < bytes) list.pushLast(Buffer.alloc(0))
    return list.encodeRow()[1]
  }
  t.equal(formAt(3_900), 1)
  t.equal(formAt(3_901), 0)
})

import t from 'tap'
import { shortText } from '../../src/resp/short-text.js'

const of = (text: string) => {
  const bytes = Buffer.from(`<${text}>`, 'latin1')
  return shortText(bytes, 1, bytes.length - 2)
}

t.test('gives the bytes one by one, however often they are asked for', async t => {
  const texts = ['', 'a', '\0', '\xff\x80', 'x'.repeat(31), 'y'.repeat(32), 'z'.repeat(33), 'w'.repeat(5000)]
  for (let round = 0; round < 4; round++) for (const text of texts) t.equal(of(text), text)
})

t.test('texts that share a slot, a prefix or a length are told apart', async t => {
  // Far more names than slots, each asked for twice in a row so that it moves in and throws another out.
  let wrong = 0
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 50_000; i++) {
      const text = `key:${i}`
      if (of(text) !== text || of(text) !== text || of(text) !== text) wrong++
    }
  }
  t.equal(wrong, 0)
  for (const text of ['key', 'key:', 'key:1', 'key:10', 'kez:1']) t.equal(of(text), text)
})

t.test('what was kept does not follow the buffer it was read from', async t => {
  const bytes = Buffer.from('first name', 'latin1')
  const read = () => shortText(bytes, 0, bytes.length)
  for (let i = 0; i < 3; i++) t.equal(read(), 'first name')
  bytes.write('other name', 'latin1')
  t.equal(read(), 'other name')
  bytes.write('first name', 'latin1')
  t.equal(read(), 'first name')
})

import t from 'tap'
import { splitInline } from '../../src/resp/inline-request.js'

t.test('a line is split at white space, and a blank line has no arguments', async t => {
  t.same(splitInline('SET key value'), ['SET', 'key', 'value'])
  t.same(splitInline(' \t PING\r\x0b '), ['PING'])
  t.same(splitInline(''), [])
  t.same(splitInline(' \t\x0b\x0c\r'), [])
  t.same(splitInline('a\x0bb'), ['a\x0bb'], 'a vertical tab inside an argument belongs to it')
})

t.test('double quotes know escapes', async t => {
  t.same(splitInline('"a b" "" "\\x41\\xfF\\n\\r\\t\\b\\a\\\\\\"\\q"'), ['a b', '', 'A\xff\n\r\t\b\x07\\"q'])
  t.same(splitInline('"\\x4" "\\xg1"'), ['x4', 'xg1'])
})

t.test('single quotes know only the escaped quote', async t => {
  t.same(splitInline("'a b' '' 'it\\'s' '\\n\\\\x'"), ['a b', '', "it's", '\\n\\\\x'])
})

t.test('a quote may begin inside an argument and ends it', async t => {
  t.same(splitInline('ab"c d" e'), ['abc d', 'e'])
})

t.test('unbalanced quotes are refused', async t => {
  for (const line of ['"', "'", '"a', "'a", '"a\\"', "'a\\'", '"a"b', "'a'b", '"a""b"', 'x "\\']) {
    t.equal(splitInline(line), undefined, line)
  }
})

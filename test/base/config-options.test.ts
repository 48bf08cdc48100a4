import t from 'tap'
import { INERT_PARTS } from '../../src/base/config-inert.js'
import { OPTIONS, camelCase } from '../../src/base/config-options.js'
import type { Option } from '../../src/base/config-options.js'

const inert: Record<string, Option> = Object.assign({}, ...Object.values(INERT_PARTS))
const rows: [string, Option][] = [...Object.entries(OPTIONS), ...Object.entries(inert)]

t.test('names and aliases are unique and lower case', async t => {
  const names = rows.flatMap(([name, option]) => [name, ...option.aliases])
  t.equal(new Set(names).size, names.length)
  for (const name of names) t.match(name, /^[a-z][a-z_-]*$/)
})

t.test('defaults are read back as they are printed', async t => {
  for (const [name, option] of rows) {
    const text = option.type.format(option.default)
    const words = option.type.words ? text.split(' ').filter(word => word !== '') : [text]
    t.same(option.type.parse(words, option.default), option.default, name)
    t.equal(option.refuse?.(option.default), undefined, `${name}: the default is not refused`)
  }
})

t.test('every row says what it does, in a sentence', async t => {
  for (const [name, option] of rows) t.match(option.text, /^[A-Z].*\.$/, name)
})

t.test('names of values are camel case', async t => {
  t.equal(camelCase('hash-max-listpack-entries'), 'hashMaxListpackEntries')
})

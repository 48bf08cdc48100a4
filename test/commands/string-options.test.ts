import t from 'tap'
import { Args } from '../../src/commands/args.js'
import { parseStringOptions } from '../../src/commands/string-options.js'
import { requestOf } from '../../src/resp/request.js'

const parse = (of: 'set' | 'getex', line: string) =>
  parseStringOptions(new Args(requestOf(['NAME', ...line.split(' ').filter(word => word !== '')])), of)
const none = { nx: false, xx: false, get: false, keepTtl: false, persist: false, expire: undefined }

t.test('options stand in any order and case', async t => {
  t.same(parse('set', ''), none)
  t.same(parse('set', 'get nx'), { ...none, nx: true, get: true })
  t.same(parse('set', 'Ex 10 XX'), { ...none, xx: true, expire: { value: 10, unit: 's', absolute: false } })
  t.match(parse('set', 'PXAT 5'), { expire: { value: 5, unit: 'ms', absolute: true } })
  t.match(parse('set', 'EXAT 5'), { expire: { unit: 's', absolute: true } })
  t.match(parse('set', 'PX 5'), { expire: { unit: 'ms', absolute: false } })
  t.match(parse('set', 'KEEPTTL XX GET'), { keepTtl: true, xx: true, get: true })
  t.match(parse('getex', 'PERSIST'), { persist: true })
})

t.test('what contradicts itself, or is not of this command, is a syntax error', async t => {
  const lines = ['NX XX', 'XX NX', 'EX 1 PX 1', 'KEEPTTL EX 1', 'EX 1 KEEPTTL', 'EX', 'PERSIST', 'FOO']
  for (const line of lines) t.throws(() => parse('set', line), { message: 'ERR syntax error' }, line)
  for (const line of ['NX', 'GET', 'KEEPTTL', 'EX 1 PERSIST', 'PERSIST EX 1', 'EX']) {
    t.throws(() => parse('getex', line), { message: 'ERR syntax error' }, line)
  }
})

t.test('a wrong word is the error before a wrong number', async t => {
  const notAnInteger = { message: 'ERR value is not an integer or out of range' }
  t.throws(() => parse('set', 'EX x'), notAnInteger)
  t.throws(() => parse('set', 'EX x FOO'), { message: 'ERR syntax error' })
  t.match(parse('set', 'EX x EX 7'), { expire: { value: 7 } }, 'of two numbers the last one counts')
})

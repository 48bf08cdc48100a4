import fc from 'fast-check'
import t from 'tap'
import { formatDouble, hexDigit, readDouble, readInt64 } from '../../src/base/numbers.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'

function int64(text: string): number | bigint | undefined {
  const bytes = Buffer.from(`<${text}>`, 'latin1')
  return readInt64(bytes, 1, bytes.length - 1)
}

function double(text: string): number | undefined {
  const bytes = Buffer.from(`<${text}>`, 'latin1')
  return readDouble(bytes, 1, bytes.length - 1)
}

t.test('integers of the whole 64-bit range are read, as numbers while they are safe', async t => {
  t.equal(int64('0'), 0)
  t.equal(int64('-1'), -1)
  t.equal(int64('9007199254740991'), Number.MAX_SAFE_INTEGER)
  t.equal(int64('-9007199254740991'), Number.MIN_SAFE_INTEGER)
  t.equal(int64('9007199254740992'), 9007199254740992n)
  t.equal(int64('9223372036854775807'), 2n ** 63n - 1n)
  t.equal(int64('-9223372036854775808'), -(2n ** 63n))
  fc.assert(fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), v => BigInt(int64(String(v))!) === v))
})

t.test('what is no canonical integer is refused', async t => {
  const refused = ['', '-', '+1', '01', '-0', '-01', ' 1', '1 ', '1.0', '1e3', '0x1', '9223372036854775808']
  for (const text of [...refused, '-9223372036854775809', '99999999999999999999', '100000000000000000000000', '1\0']) {
    t.equal(int64(text), undefined, `'${text}'`)
  }
})

t.test('doubles are read as strtod reads them', async t => {
  const rows: [string, number][] = [
    ['1', 1],
    ['+1.5', 1.5],
    ['-.5', -0.5],
    ['1.', 1],
    ['1e3', 1000],
    ['1E-2', 0.01],
    ['007', 7],
    ['inf', Infinity],
    ['+INF', Infinity],
    ['-Infinity', -Infinity],
    ['0x10', 16],
    ['0x1p-1074', 5e-324],
    ['-0x.8p1', -1],
    ['0x1.fffffffffffff8p0', 2],
    ['0x1.fffffffffffff7fffffffffp0', 2 - 2 ** -52],
    ['0x1.00000000000008000000000001p0', 1 + 2 ** -52],
    ['0x1.00000000000008p0', 1],
    ['5e-324', 5e-324],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['0e99999999999', 0],
    ['0x0p99999999999', 0],
  ]
  for (const [text, value] of rows) t.equal(double(text), value, text)
  t.ok(Object.is(double('-0'), -0))
})

const NO_DOUBLES = [
  '',
  '+',
  '-',
  '.',
  'e1',
  '1e',
  '1e+',
  '1 ',
  ' 1',
  'nan',
  'NaN',
  '-nan',
  'infin',
  '0x',
  '0x.',
  '0x1p',
  '1e400',
]
NO_DOUBLES.push('-1e400', '1e-400', '0x1p1024', '0x1p-1076', '1.2.3', '1_0', '--1', '0b1', '1\0')

t.test('what is no double, or overflows, or vanishes, is refused', async t => {
  for (const text of NO_DOUBLES) t.equal(double(text), undefined, `'${text}'`)
})

t.test('any double survives printing and reading', async () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), v => Object.is(double(formatDouble(v)), v)),
    { numRuns: 500 },
  )
})

t.test('doubles are printed with 17 significant digits and nothing that can be left out', async t => {
  const rows: [number, string][] = [
    [0, '0'],
    [-0, '-0'],
    [3, '3'],
    [-2.5, '-2.5'],
    [0.1, '0.10000000000000001'],
    [2 ** 53, '9007199254740992'],
    [2 ** 56, '72057594037927936'],
    [1e17, '1e+17'],
    [1.5e20, '1.5e+20'],
    [0.0001, '0.0001'],
    [0.00001, '1.0000000000000001e-05'],
    [5e-324, '4.9406564584124654e-324'],
    [100000000000000.125, '100000000000000.12'],
    [100000000000000.375, '100000000000000.38'],
    [Infinity, 'inf'],
    [-Infinity, '-inf'],
    [NaN, 'nan'],
  ]
  for (const [value, text] of rows) t.equal(formatDouble(value), text)
})

t.test('hexadecimal digits', async t => {
  t.same(
    Array.from('09afAFgG /:@`', c => hexDigit(c.charCodeAt(0))),
    [0, 9, 10, 15, 10, 15, -1, -1, -1, -1, -1, -1, -1],
  )
})

t.test('scores are read and printed as redis-server does', { skip: findRedisServer() === undefined }, async t => {
  // Without the packed encoding: that one prints whole scores as integers.
  const server = await startRedisServer(['--zset-max-listpack-entries', '0'])
  t.teardown(() => server.stop())
  const client = await RespClient.connect(server.port)
  t.teardown(() => client.close())
  await client.command('ZADD', 'z', '1', 'a')
  const texts = [...NO_DOUBLES, '-0', '1.', '.5', '0x1.8p1', '0x1p-1074', '1e17', '123456789012345678', '1e-5', '0.1']
  for (const text of [...texts, '100000000000000.125', '4503599627370497.5', '+inf', '0x1.00000000000008p0', '1e22']) {
    const added = await client.text('ZADD', 'z', text, 'a')
    const value = double(text)
    t.equal(value === undefined, added.startsWith('-'), `'${text}': ${added}`)
    if (value === undefined) continue
    const printed = formatDouble(value)
    t.equal(await client.text('ZSCORE', 'z', 'a'), `$${printed.length}\r\n${printed}\r\n`, text)
  }
})

import t from 'tap'
import { Args } from '../../src/commands/args.js'
import { requestOf } from '../../src/resp/request.js'

const args = (...words: (string | number | Buffer)[]) => new Args(requestOf(['NAME', ...words]))
const syntax = { name: 'ReplyError', message: 'ERR syntax error' }

t.test('arguments are read in order, behind the name', async t => {
  const a = args('k\xff', Buffer.from([1, 255]), 'rest')
  t.equal(a.remaining, 3)
  t.equal(a.key(), 'k\xff')
  t.same(a.bytes(), Buffer.from([1, 255]))
  t.equal(a.text(), 'rest')
  t.equal(a.remaining, 0)
  a.end()
  t.equal(new Args(requestOf(['XGROUP', 'CREATE', 'k']), 2).text(), 'k', 'behind the subcommand')
})

t.test('what is missing, and what is left over, is a syntax error', async t => {
  for (const read of [(a: Args) => a.text(), (a: Args) => a.bytes(), (a: Args) => a.int64(), (a: Args) => a.double()]) {
    t.throws(() => read(args()), syntax)
  }
  t.throws(() => args('x').end(), syntax)
})

t.test('words are taken in any case, and only when they are next', async t => {
  const a = args('nx', 'Ex', '10')
  t.equal(a.take('EX'), false)
  t.equal(a.peekIs('NX'), true)
  t.equal(a.peekIs('N'), false)
  t.equal(a.take('NX'), true)
  t.equal(a.take('EX'), true)
  t.equal(a.integer(), 10)
  t.equal(a.take('EX'), false, 'nothing is left')
  t.equal(a.peekIs('EX'), false)
})

t.test('integers are signed, of 64 bits, and nothing else', async t => {
  t.equal(args('-9223372036854775808').int64(), -9223372036854775808n)
  t.equal(args('9223372036854775807').int64(), 9223372036854775807n)
  t.equal(args('9007199254740991').int64(), 9007199254740991)
  t.equal(args('9007199254740993').integer(), 9007199254740992, 'a count loses what it does not need')
  for (const bad of ['', ' 1', '1 ', '+1', '01', '1.0', '9223372036854775808', 'x']) {
    t.throws(() => args(bad).int64(), { message: 'ERR value is not an integer or out of range' }, JSON.stringify(bad))
  }
  t.throws(() => args('x').int64('ERR mine'), { message: 'ERR mine' })
})

t.test('floats have the text of their own error', async t => {
  t.equal(args('-1.5e3').double(), -1500)
  t.equal(args('inf').double(), Infinity)
  t.throws(() => args('nan').double(), { message: 'ERR value is not a valid float' })
  t.throws(() => args('1x').double('ERR mine'), { message: 'ERR mine' })
})

t.test('the string of a key is the one that the keys have, where they have one', async t => {
  const asked: string[] = []
  const names = {
    nameOf(bytes: Buffer, from: number, length: number) {
      asked.push(bytes.latin1Slice(from, from + length))
      return asked.length === 1 ? 'theirs' : undefined
    },
  }
  const cursor = new Args(requestOf(['GET', 'here', 'away', 'text']), 1, names)
  t.same([cursor.key(), cursor.key(), cursor.text()], ['theirs', 'away', 'text'])
  t.same(asked, ['here', 'away'])
  t.throws(() => cursor.key(), { message: /syntax error/ })
})

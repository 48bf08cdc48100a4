import t from 'tap'
import { idOf } from '../../src/base/stream-id.js'
import { Args } from '../../src/commands/args.js'
import { COUNT_ALL } from '../../src/commands/stream-arguments.js'
import {
  BLOCK_NOT,
  ID_DOLLAR,
  ID_LAST,
  ID_MALFORMED,
  ID_NEW,
  parseRead,
} from '../../src/commands/stream-read-options.js'
import { requestOf } from '../../src/resp/request.js'

const parse = (line: string) => {
  const words = line.split(' ')
  return parseRead(new Args(requestOf(words)), words[0] === 'XREADGROUP')
}

t.test('options come in any order before STREAMS', async t => {
  t.match(parse('XREAD STREAMS a 1-2'), { count: COUNT_ALL, blockMs: BLOCK_NOT, keys: ['a'], ids: [idOf(1, 2)] })
  t.match(parse('XREADGROUP count 5 noack block 0 group g c streams a b > 0'), {
    group: 'g',
    consumer: 'c',
    count: 5,
    blockMs: 0,
    noAck: true,
    keys: ['a', 'b'],
  })
  t.equal(parse('XREAD COUNT 0 STREAMS a 0').count, COUNT_ALL)
  t.equal(parse('XREAD COUNT -3 STREAMS a 0').count, COUNT_ALL)
})

t.test('signs stand for IDs that only the data can give; what is no ID is known later', async t => {
  const { ids } = parse('XREAD STREAMS a b c d $ > + x')
  for (const [i, id] of [ID_DOLLAR, ID_NEW, ID_LAST, ID_MALFORMED].entries()) t.equal(ids[i], id)
})

t.test('errors are those of Redis, in its order', async t => {
  for (const [line, text] of [
    ['XREAD BLOCK x STREAMS a 0', 'ERR timeout is not an integer or out of range'],
    ['XREAD BLOCK -1 STREAMS a 0', 'ERR timeout is negative'],
    ['XREAD GROUP g c STREAMS a 0', /GROUP option is only supported by XREADGROUP/],
    ['XREAD NOACK STREAMS a 0', /NOACK option is only supported by XREADGROUP/],
    ['XREAD STREAMS a b 0', /Unbalanced/],
    ['XREADGROUP COUNT 1 STREAMS a 0', 'ERR Missing GROUP option for XREADGROUP'],
    ['XREADGROUP GROUP g c FOO STREAMS a 0', 'ERR syntax error'],
    ['XREADGROUP GROUP g c COUNT 1', 'ERR syntax error'],
  ] as const) {
    t.throws(() => parse(line), { name: 'ReplyError', message: text }, line)
  }
})

import t from 'tap'
import { idOf } from '../../src/base/stream-id.js'
import type { Reply } from '../../src/resp/reply.js'
import { ReplyWriter } from '../../src/resp/reply-writer.js'

function written(protocol: 2 | 3, write: (reply: Reply) => void): string {
  const writer = new ReplyWriter()
  writer.protocol = protocol
  write(writer)
  return Buffer.concat(writer.take()).toString('latin1')
}

const FORMS: readonly [name: string, write: (reply: Reply) => void, resp2: string, resp3: string][] = [
  ['status', r => r.status('QUEUED'), '+QUEUED\r\n', '+QUEUED\r\n'],
  ['ok', r => r.ok(), '+OK\r\n', '+OK\r\n'],
  ['error', r => r.error('ERR a\r\nb'), '-ERR a  b\r\n', '-ERR a  b\r\n'],
  ['integer', r => r.integer(1234567890123), ':1234567890123\r\n', ':1234567890123\r\n'],
  ['integer zero', r => r.integer(0), ':0\r\n', ':0\r\n'],
  ['negative integer', r => r.integer(-15), ':-15\r\n', ':-15\r\n'],
  ['large integer', r => r.integer(-(2n ** 63n)), ':-9223372036854775808\r\n', ':-9223372036854775808\r\n'],
  ['safe integer', r => r.integer(2 ** 53 - 1), ':9007199254740991\r\n', ':9007199254740991\r\n'],
  ['bulk', r => r.bulk(Buffer.from('a\r\n\xff', 'latin1')), '$4\r\na\r\n\xff\r\n', '$4\r\na\r\n\xff\r\n'],
  ['empty bulk', r => r.bulk(Buffer.alloc(0)), '$0\r\n\r\n', '$0\r\n\r\n'],
  ['latin1', r => r.latin1('\xe9t\xe9'), '$3\r\n\xe9t\xe9\r\n', '$3\r\n\xe9t\xe9\r\n'],
  [
    'long latin1',
    r => r.latin1('\xe9'.repeat(99)),
    `$99\r\n${'\xe9'.repeat(99)}\r\n`,
    `$99\r\n${'\xe9'.repeat(99)}\r\n`,
  ],
  ['null bulk', r => r.nullBulk(), '$-1\r\n', '_\r\n'],
  ['null array', r => r.nullArray(), '*-1\r\n', '_\r\n'],
  ['array', r => r.array(10), '*10\r\n', '*10\r\n'],
  ['map', r => r.map(7), '*14\r\n', '%7\r\n'],
  ['set', r => r.set(3), '*3\r\n', '~3\r\n'],
  ['push', r => r.push(3), '*3\r\n', '>3\r\n'],
  ['true', r => r.boolean(true), ':1\r\n', '#t\r\n'],
  ['false', r => r.boolean(false), ':0\r\n', '#f\r\n'],
  ['double', r => r.double(0.1), '$19\r\n0.10000000000000001\r\n', ',0.10000000000000001\r\n'],
  ['infinity', r => r.double(-Infinity), '$4\r\n-inf\r\n', ',-inf\r\n'],
  ['big number', r => r.bigNumber(-(10n ** 20n)), '$22\r\n-100000000000000000000\r\n', '(-100000000000000000000\r\n'],
  ['verbatim', r => r.verbatim('txt', 'a\nb'), '$3\r\na\nb\r\n', '=7\r\ntxt:a\nb\r\n'],
  ['stream id', r => r.streamId(idOf(1700000000000, 12)), '$16\r\n1700000000000-12\r\n', '$16\r\n1700000000000-12\r\n'],
  ['stream id zero', r => r.streamId(idOf(0, 0)), '$3\r\n0-0\r\n', '$3\r\n0-0\r\n'],
  [
    'stream id beyond 2^53',
    r => r.streamId({ msHi: 0xffffffff, msLo: 0xffffffff, seqHi: 0x200000, seqLo: 1 }),
    '$37\r\n18446744073709551615-9007199254740993\r\n',
    '$37\r\n18446744073709551615-9007199254740993\r\n',
  ],
  ['deferred array', r => r.endArray(r.deferArray(), 0), '*0\r\n', '*0\r\n'],
  ['deferred map', r => r.endMap(r.deferMap(), 4), '*8\r\n', '%4\r\n'],
  ['deferred map of 5', r => r.endMap(r.deferMap(), 5), '*10\r\n', '%5\r\n'],
]

t.test('every form is written as Redis writes it in RESP2 and RESP3', async t => {
  for (const [name, write, resp2, resp3] of FORMS) {
    t.equal(written(2, write), resp2, `${name} in RESP2`)
    t.equal(written(3, write), resp3, `${name} in RESP3`)
  }
  t.equal(
    written(3, r => r.attribute(1)),
    '|1\r\n',
  )
  t.throws(() => written(2, r => r.attribute(1)), /RESP2 has no attributes/)
})

t.test('numbers of every length have the right digits', async t => {
  for (let digits = 1, power = 1; digits <= 16; digits++, power *= 10) {
    for (const value of [power, power * 10 - 1, Math.floor(power * 3.7)]) {
      if (value > Number.MAX_SAFE_INTEGER) continue
      t.equal(
        written(2, r => r.integer(value)),
        `:${value}\r\n`,
      )
      t.equal(
        written(2, r => r.streamId(idOf(value, value))),
        `$${2 * digits + 1}\r\n${value}-${value}\r\n`,
      )
    }
  }
})

import t from 'tap'
import { PIECE_BYTES } from '../../src/base/allocation.js'
import { LargeArgument } from '../../src/resp/large-argument.js'
import { LargeRequest } from '../../src/resp/large-request.js'
import { LARGE_BYTES_MIN, parseOne, RequestParser } from '../../src/resp/request-parser.js'
import { Request, requestOf } from '../../src/resp/request.js'
import { seeded } from '../support/seeded.js'

function largeOf(bytes: Buffer): LargeArgument {
  const argument = new LargeArgument(bytes.length)
  argument.take(bytes, 0, bytes.length)
  return argument
}

t.test('its arguments are those of the same command in one buffer', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const long = random.bytes(2 * PIECE_BYTES + 3)
  const request = new LargeRequest(requestOf(['SET', '', 'key', '']), new Map([1, 3].map(i => [i, largeOf(long)])))
  t.same(
    [0, 1, 2, 3].map(i => request.lengths[i]),
    [3, long.length, 3, long.length],
  )
  for (const i of [1, 3]) {
    t.ok(request.bytes(i).equals(long))
    t.ok(request.copy(i).equals(long))
    t.equal(request.text(i), long.latin1Slice())
    t.notOk(request.is(i, 'SET'))
  }
  t.equal(request.text(2), 'key')
  t.ok(request.is(0, 'SET'))
  t.equal(request.detach(), request)
  const whole = request.whole()
  const same = requestOf(['SET', long, 'key', long])
  t.ok(whole.buffer.subarray(whole.from, whole.to).equals(same.buffer))
  t.equal(parseOne(whole.buffer, 0, new Request()), whole.to)
  for (let i = 0; i < 4; i++) t.ok(whole.bytes(i).equals(same.bytes(i)))
})

t.test(
  'the parser gives long arguments in pieces, however they are cut on the way, and what is around them',
  async t => {
    const random = seeded()
    t.comment(`SEED=${random.seed}`)
    for (let round = 0; round < 20; round++) {
      const commands = Array.from({ length: 4 }, () =>
        Array.from({ length: random.between(1, 4) }, () =>
          random.chance(0.3) ? random.bytes(LARGE_BYTES_MIN + random.below(200_000)) : random.bytes(random.below(40)),
        ),
      )
      const bytes = Buffer.concat(commands.map(command => requestOf(command).buffer))
      const parser = new RequestParser(512 << 20)
      const seen: Buffer[][] = []
      let fed = 0
      let longs = 0
      while (fed < bytes.length) {
        const end = Math.min(bytes.length, fed + random.pick([1, 100, 65_536, 1_200_000]))
        // The chunk is used again by whoever read it from the socket.
        const chunk = Buffer.from(bytes.subarray(fed, end))
        parser.feed(chunk)
        for (let request = parser.next(); request !== undefined; request = parser.next()) {
          const { argc } = request
          longs += request.large?.size ?? 0
          seen.push(Array.from({ length: argc }, (_, i) => request!.copy(i)))
        }
        parser.settle()
        chunk.fill(0)
        fed = end
      }
      t.equal(parser.fault, undefined)
      t.equal(parser.bufferedBytes, 0)
      t.ok(seen.length === 4 && seen.every((args, i) => Buffer.concat(args).equals(Buffer.concat(commands[i]))))
      const wanted = commands.flat().filter(arg => arg.length >= LARGE_BYTES_MIN).length
      t.ok(longs <= wanted, `${longs} of ${wanted} long arguments were not whole in a chunk`)
    }
  },
)

t.test('what has come of an argument counts as buffered', async t => {
  const parser = new RequestParser(512 << 20)
  const head = Buffer.from(`*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$${2 * LARGE_BYTES_MIN}\r\n`)
  parser.feed(Buffer.concat([head, Buffer.alloc(1000)]))
  t.equal(parser.next(), undefined)
  parser.settle()
  t.equal(parser.bufferedBytes, head.length + 1000)
  parser.feed(Buffer.alloc(LARGE_BYTES_MIN))
  t.equal(parser.next(), undefined)
  t.equal(parser.bufferedBytes, head.length + 1000 + LARGE_BYTES_MIN)
  t.ok(parser.freeBytes < LARGE_BYTES_MIN / 2, 'no room is made for it anywhere else')
})

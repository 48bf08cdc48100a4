import fc from 'fast-check'
import t from 'tap'
import { parseOne, RequestParser } from '../../src/resp/request-parser.js'
import { Request } from '../../src/resp/request.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { encodeCommand, RespClient } from '../support/resp-client.js'

const BULK_BYTES_MAX = 512 * 1024 * 1024

interface Outcome {
  readonly commands: string[][]
  readonly fault: string | undefined
}

/** Feeds copies of the chunks; checks that every request is a canonical RESP array of just its arguments. */
function parseChunks(chunks: readonly Buffer[], parser = new RequestParser(BULK_BYTES_MAX)): Outcome {
  const commands: string[][] = []
  for (const chunk of chunks) {
    parser.feed(Buffer.from(chunk))
    for (let request = parser.next(); request !== undefined; request = parser.next()) {
      const args = argsOf(request)
      const wire = request.buffer.subarray(request.from, request.to)
      const canonical = encodeCommand(args)
      if (!wire.equals(canonical)) throw new Error(`not canonical: ${JSON.stringify(wire.toString('latin1'))}`)
      commands.push(args)
    }
  }
  return { commands, fault: parser.fault }
}

function argsOf(request: Request): string[] {
  return Array.from({ length: request.argc }, (_, i) => request.text(i))
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function cutEvery(bytes: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
  return chunks
}

const MIXED = Buffer.concat([
  encodeCommand(['SET', 'key', 'v\r\n$3\0\xff']),
  latin1('\r\n*0\r\n*-1\r\nPING "a b"\n  \nGET x\r\n'),
  encodeCommand(['XADD', 's', '*', 'f', 'x'.repeat(1234), '', 'g']),
  encodeCommand(['PING']),
])
const MIXED_COMMANDS = [
  ['SET', 'key', 'v\r\n$3\0\xff'],
  ['PING', 'a b'],
  ['GET', 'x'],
  ['XADD', 's', '*', 'f', 'x'.repeat(1234), '', 'g'],
  ['PING'],
]

t.test('settle() copies what is left of a chunk that is written to again', async t => {
  const bytes = Buffer.concat([encodeCommand(['SET', 'k', 'value']), encodeCommand(['GET', 'key']), latin1('PING\r\n')])
  for (let size = 1; size <= bytes.length; size++) {
    const parser = new RequestParser(BULK_BYTES_MAX)
    const shared = Buffer.alloc(bytes.length + 5)
    const commands: string[] = []
    for (const piece of cutEvery(bytes, size)) {
      piece.copy(shared)
      parser.feed(shared, 0, piece.length)
      for (let request = parser.next(); request !== undefined; request = parser.next()) {
        commands.push(Array.from({ length: request.argc }, (_, i) => request.text(i)).join(' '))
      }
      parser.settle()
      shared.fill('!')
    }
    t.same(commands, ['SET k value', 'GET key', 'PING'], `in pieces of ${size}`)
    t.equal(parser.bufferedBytes, 0)
  }
})

t.test('commands, inline commands and empty ones are read from one chunk', async t => {
  t.same(parseChunks([MIXED]), { commands: MIXED_COMMANDS, fault: undefined })
})

t.test('a whole command is a view of the received chunk', async t => {
  const parser = new RequestParser(BULK_BYTES_MAX)
  const chunk = encodeCommand(['GET', 'key'])
  parser.feed(chunk)
  t.equal(parser.next()!.buffer, chunk)
  t.equal(parser.next(), undefined)
  t.equal(parser.bufferedBytes, 0)
})

t.test('a split at any byte boundary changes nothing', async t => {
  for (let cut = 0; cut <= MIXED.length; cut++) {
    const outcome = parseChunks([MIXED.subarray(0, cut), MIXED.subarray(cut)])
    if (JSON.stringify(outcome.commands) !== JSON.stringify(MIXED_COMMANDS)) t.fail(`split at ${cut}`)
  }
  for (const size of [1, 2, 3, 7, 100]) {
    t.same(parseChunks(cutEvery(MIXED, size)).commands, MIXED_COMMANDS, `pieces of ${size} bytes`)
  }
})

t.test('any sequence of commands in any pieces is read back', async t => {
  const command = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.array(command, { maxLength: 8 }), fc.integer({ min: 1, max: 64 }), (commands, size) => {
      const bytes = Buffer.concat(commands.map(args => encodeCommand(args.map(a => Buffer.from(a)))))
      const expected = commands.map(args => args.map(a => Buffer.from(a).toString('latin1')))
      t.same(parseChunks(cutEvery(bytes, size)), { commands: expected, fault: undefined })
    }),
    { numRuns: 150 },
  )
})

t.test('line ends that Redis does not check are made canonical', async t => {
  const odd = latin1('*2\rX$4\rYPINGab$1\r\nz\n\r*1\r\n$4\r\nPINGXX')
  t.same(parseChunks([odd]).commands, [['PING', 'z'], ['PING']])
  t.same(parseChunks(cutEvery(odd, 1)).commands, [['PING', 'z'], ['PING']])
})

const ALPHABET = ['*', '$', '1', '2', '0', '-', '+', '\r\n', '\r', '\n', ' ', '"', "'", '\\', 'x41', 'PING', '\0', 'é']

t.test('random bytes neither hang nor grow, and do not depend on how they are cut', async t => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ALPHABET), { maxLength: 60 }), fc.nat(20), (words, size) => {
      const bytes = latin1(words.join(''))
      const whole = parseChunks([bytes])
      t.same(parseChunks(cutEvery(bytes, size + 1)), whole)
      const parser = new RequestParser(BULK_BYTES_MAX)
      parseChunks(cutEvery(bytes, size + 1), parser)
      if (parser.bufferedBytes > bytes.length) t.fail('more buffered than received')
      if (parser.freeBytes > 4 * bytes.length + 1024) t.fail('buffer out of proportion')
    }),
    { numRuns: 400 },
  )
})

t.test('an announced length costs nothing before its bytes arrive', async t => {
  const parser = new RequestParser(BULK_BYTES_MAX)
  parser.feed(latin1('*2147483647\r\n$536870912\r\n'))
  t.equal(parser.next(), undefined)
  parser.feed(latin1('abc'))
  t.equal(parser.next(), undefined)
  t.ok(parser.bufferedBytes + parser.freeBytes < 4096)
})

t.test('a large argument in small pieces is copied a bounded number of times', async t => {
  const value = Buffer.alloc(8 * 1024 * 1024, 'v')
  const parser = new RequestParser(BULK_BYTES_MAX)
  let request: Request | undefined
  let moves = 0
  let freeBefore = 0
  for (const piece of cutEvery(encodeCommand(['SET', 'k', value]), 16 * 1024)) {
    parser.feed(piece)
    if (parser.freeBytes > freeBefore) moves++
    freeBefore = parser.freeBytes
    if (parser.freeBytes > parser.bufferedBytes + 80 * 1024) t.fail('room out of proportion to what arrived')
    request = parser.next()
  }
  t.ok(request!.bytes(2).equals(value))
  t.ok(moves < 16, `${moves} moves`)
})

t.test('the carry buffer of a huge command is given up', async t => {
  const parser = new RequestParser(BULK_BYTES_MAX)
  for (const piece of cutEvery(encodeCommand(['SET', 'k', Buffer.alloc(4 * 1024 * 1024)]), 65536)) parser.feed(piece)
  parser.feed(latin1('*1\r\n$4\r\nPI'))
  t.equal(parser.next()!.argc, 3)
  t.equal(parser.next(), undefined)
  for (let i = 0; i < 20; i++) {
    parser.feed(
      Buffer.concat([
        latin1('NG\r\n'),
        Buffer.concat(Array(400).fill(encodeCommand(['GET', 'k'.repeat(400)]))),
        latin1('*1\r\n$4\r\nPI'),
      ]),
    )
    while (parser.next() !== undefined);
  }
  t.ok(parser.freeBytes < 1024 * 1024)
})

t.test('limits may change at run time', async t => {
  const parser = new RequestParser(10)
  t.same(parseChunks([encodeCommand(['SET', '0123456789'])], parser).commands.length, 1)
  parser.bulkBytesMax = 9
  parser.feed(encodeCommand(['SET', '0123456789']))
  t.equal(parser.next(), undefined)
  t.equal(parser.fault, 'Protocol error: invalid bulk length')
  t.equal(parser.next(), undefined, 'nothing is parsed after a fault')
})

t.test('an unauthenticated client has small limits', async t => {
  const fault = (bytes: Buffer | string): string | undefined => {
    const parser = new RequestParser(BULK_BYTES_MAX)
    parser.unauthenticated = true
    return parseChunks([Buffer.from(bytes)], parser).fault
  }
  t.equal(fault('*11\r\n'), 'Protocol error: unauthenticated multibulk length')
  t.equal(fault('*10\r\n$16385\r\n'), 'Protocol error: unauthenticated bulk length')
  t.equal(fault('*10\r\n$16384\r\n'), undefined)
  t.equal(fault(encodeCommand(Array(11).fill('x'))), 'Protocol error: unauthenticated multibulk length')
})

t.test('parseOne reads one canonical command at an offset', async t => {
  const bytes = Buffer.concat([latin1('junk'), encodeCommand(['SET', '', 'x'.repeat(12345)]), encodeCommand(['PING'])])
  const request = new Request()
  const end = parseOne(bytes, 4, request)
  t.same(argsOf(request), ['SET', '', 'x'.repeat(12345)])
  t.equal(parseOne(bytes, end, request), bytes.length)
  t.same(argsOf(request), ['PING'])
  t.equal(parseOne(bytes, end, request, bytes.length - 1), -1, 'incomplete')
  for (const odd of [
    '',
    '*',
    '*1',
    '*1\r\n',
    '*01\r\n$1\r\na\r\n',
    '*0\r\n',
    '*1\r\n$01\r\na\r\n',
    '*1\n$1\r\na\r\n',
  ]) {
    t.equal(parseOne(latin1(odd), 0, request), -1, JSON.stringify(odd))
  }
  const prefix = encodeCommand(['XADD', 'key', 'value'])
  for (let cut = 0; cut < prefix.length; cut++) t.equal(parseOne(prefix.subarray(0, cut), 0, request), -1)
})

const FAULTY = [
  '*+1\r\n',
  '*01\r\n',
  '*-0\r\n',
  '* 1\r\n',
  '*\r\n',
  '*2147483648\r\n',
  '*9223372036854775808\r\n',
  '*12345678901234567890123\r\n',
  '*1\r\n:4\r\n',
  '*1\r\n\r\n',
  '*1\r\n\xff\r\n',
  '*1\r\n$\r\n',
  '*1\r\n$-1\r\n',
  '*1\r\n$04\r\n',
  '*1\r\n$+4\r\n',
  '*1\r\n$536870913\r\n',
  '*2\r\n$4\r\nPING\r\n$x\r\n',
  'PING "a"b\r\n',
  "PING 'a\r\n",
  `*${'1'.repeat(66000)}`,
  `*1\r\n$${'1'.repeat(66000)}`,
  `*1\r\n${'x'.repeat(66000)}`,
  'x'.repeat(66000),
  `\0${'x\n'.repeat(33000)}`,
  `*\0${'x\r\n'.repeat(33000)}`,
]
const HARMLESS = [
  '*0\r\n',
  '*-1\r\n',
  '*-9223372036854775808\r\n',
  '\r\n',
  '\n',
  ' \r\n',
  '*1\rX$4\rXPINGXX',
  "'PING'\n",
  'PING\0\n',
]

t.test('faults have the texts of redis-server', { skip: findRedisServer() === undefined }, async t => {
  const server = await startRedisServer()
  t.teardown(() => server.stop())
  for (const bytes of FAULTY) {
    const client = await RespClient.connect(server.port)
    client.send(bytes)
    const reply = (await client.reply()).toString('latin1')
    const { fault } = parseChunks([latin1(bytes)])
    t.equal(`-ERR ${fault?.replace(/[\r\n]/g, ' ')}\r\n`, reply, JSON.stringify(bytes.slice(0, 40)))
    client.close()
  }
})

t.test('what redis-server lets pass is let pass', { skip: findRedisServer() === undefined }, async t => {
  const server = await startRedisServer()
  t.teardown(() => server.stop())
  for (const bytes of HARMLESS) {
    const client = await RespClient.connect(server.port)
    client.send(bytes)
    const followed = bytes.includes('\0') ? '' : '*2\r\n$4\r\nECHO\r\n$4\r\ndone\r\n'
    client.send(followed)
    const { commands, fault } = parseChunks([latin1(bytes + followed)])
    t.equal(fault, undefined)
    for (const command of commands) {
      const reply = (await client.reply()).toString('latin1')
      t.equal(reply, command[0] === 'ECHO' ? '$4\r\ndone\r\n' : '+PONG\r\n', JSON.stringify(bytes))
    }
    t.equal(commands.at(-1)?.[0], followed === '' ? undefined : 'ECHO')
    client.close()
  }
})

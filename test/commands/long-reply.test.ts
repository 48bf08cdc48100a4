import t from 'tap'
import { JoinedReply, ListedReply, ReadReply, ShortReply, SteppedReply } from '../../src/commands/long-reply.js'
import type { LongReply } from '../../src/commands/long-reply.js'
import type { Reply } from '../../src/resp/reply.js'
import { ReplyWriter } from '../../src/resp/reply-writer.js'

function written(reply: LongReply): string[] {
  const writer = new ReplyWriter()
  const pieces: string[] = []
  for (let more = true; more;) {
    more = reply.write(writer)
    pieces.push(Buffer.concat(writer.take()).toString())
  }
  return pieces
}

/** A read of a page for each list of numbers. */
function readOf(pages: number[][]) {
  const left = [...pages]
  const read = {
    pinnedBytes: 7,
    closed: 0,
    fetch: () => undefined,
    next(visit: (number: number) => void) {
      const page = left.shift()
      page?.forEach(visit)
      return page !== undefined
    },
    close: () => void read.closed++,
  }
  return read
}

t.test('items of a read are written a page at a time', t => {
  const read = readOf([[1, 2], [3]])
  const reply = new ReadReply(read, out => (number: number) => out.integer(number))
  t.same(written(reply), [':1\r\n:2\r\n', ':3\r\n', ''])
  t.equal(reply.pinnedBytes, 7)
  reply.close()
  t.equal(read.closed, 1)
  t.end()
})

t.test('items of an array are written some hundred at a time', t => {
  const items = Array.from({ length: 600 }, (_, i) => i)
  const pieces = written(new ListedReply(items, (out, item) => out.integer(item)))
  t.equal(pieces.length, 3)
  t.equal(pieces.join(''), items.map(item => `:${item}\r\n`).join(''))
  t.same(written(new ListedReply([], () => t.fail('there is nothing'))), [''])
  t.end()
})

t.test('parts are worked out when their turn comes, some at a time', t => {
  let begun = 0
  let ended = false
  function* parts() {
    try {
      for (; begun < 150; begun++) yield (out: Reply) => void out.integer(begun)
    } finally {
      ended = true
    }
  }
  const reply = new SteppedReply(parts())
  const writer = new ReplyWriter()
  t.ok(reply.write(writer))
  t.ok(begun < 70, 'the others have not begun')
  t.equal(written(new SteppedReply([])).join(''), '')
  reply.close()
  t.ok(ended)
  begun = 0
  t.equal(written(new SteppedReply(parts())).join(''), Array.from({ length: 150 }, (_, i) => `:${i}\r\n`).join(''))
  t.end()
})

t.test('what a part leaves comes before the next part, and is let go with it', t => {
  const [first, second] = [readOf([[1], [2, 3]]), readOf([[5], [6]])]
  const number = (out: Reply) => (value: number) => out.integer(value)
  const parts = (): ((out: Reply) => LongReply | undefined)[] => [
    out => (out.ok(), new ReadReply(first, number)),
    out => void out.integer(4),
    () => new ReadReply(second, number),
  ]
  const reply = new SteppedReply(parts())
  const writer = new ReplyWriter()
  t.equal(reply.pinnedBytes, 0)
  reply.write(writer)
  t.same([Buffer.concat(writer.take()).toString(), reply.pinnedBytes], ['+OK\r\n', 7])
  t.equal(written(reply).join(''), ':1\r\n:2\r\n:3\r\n:4\r\n:5\r\n:6\r\n')
  t.same([first.closed, second.closed], [1, 1])
  const unfinished = new SteppedReply(parts())
  unfinished.write(writer)
  unfinished.close()
  t.equal(first.closed, 2)
  t.end()
})

t.test('joined replies follow one another, and each is let go when it has ended', t => {
  const [first, second] = [readOf([[1]]), readOf([[2], [3]])]
  const number = (out: { integer(value: number): void }) => (value: number) => out.integer(value)
  const reply = new JoinedReply([
    new ReadReply(first, number),
    new ShortReply(out => out.ok()),
    new ReadReply(second, number),
  ])
  t.equal(reply.pinnedBytes, 14)
  t.equal(written(reply).join(''), ':1\r\n+OK\r\n:2\r\n:3\r\n')
  t.same([first.closed, second.closed], [1, 1])
  const given = [readOf([[1]]), readOf([[2]])]
  const unfinished = new JoinedReply(given.map(read => new ReadReply(read, number)))
  unfinished.write(new ReplyWriter())
  unfinished.close()
  t.same(
    given.map(read => read.closed),
    [1, 1],
  )
  t.end()
})

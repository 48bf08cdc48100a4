import t from 'tap'
import { Args } from '../../src/commands/args.js'
import { setCommands } from '../../src/commands/set-commands.js'
import { contentOf, replyString, storeContent } from '../../src/commands/string-store.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { ReplyWriter } from '../../src/resp/reply-writer.js'
import { requestOf } from '../../src/resp/request.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { StringValue, TEXT_BYTES_MAX } from '../../src/types/string/string-value.js'
import { FakeContext } from '../support/fake-context.js'

t.test('a short content is text, a long one a copy of its own', async t => {
  const request = requestOf(['SET', 'k', '\xff'.repeat(TEXT_BYTES_MAX), 'y'.repeat(TEXT_BYTES_MAX + 1)])
  const args = new Args(request, 2)
  t.equal(contentOf(args), '\xff'.repeat(TEXT_BYTES_MAX))
  const long = contentOf(args) as Buffer
  request.buffer.fill(0)
  t.equal(long.toString(), 'y'.repeat(TEXT_BYTES_MAX + 1))
  t.equal(long.buffer.byteLength, long.length, 'not a slice of a pool')
})

t.test('a string is changed in place, anything else replaced; the expiry goes unless kept', async t => {
  const ctx = new FakeContext([...stringCommands, ...setCommands])
  const store = (key: string, content: string, keepTtl = false) =>
    storeContent(ctx, key, ctx.db.peek(key), content, keepTtl)
  ctx.ask('SET', 'k', 'old', 'EX', '100')
  const expireAtMs = ctx.db.peek('k')!.expireAtMs
  const value = ctx.db.peek('k')!.value
  t.equal(store('k', 'new', true).expireAtMs, expireAtMs)
  t.equal(ctx.db.peek('k')!.value, value)
  t.equal(store('k', 'newer').expireAtMs, 0)
  t.equal((ctx.db.peek('k')!.value as StringValue).content(), 'newer')
  ctx.ask('SADD', 'set', 'member')
  ctx.db.setExpiry(ctx.db.peek('set')!, expireAtMs)
  const stored = store('set', 'text', true)
  t.match(stored, { type: 'string', expireAtMs })
  t.equal(store('fresh', 'x').type, 'string')
})

t.test('a long value goes out without a copy, as it was, whatever becomes of it before it is sent', async t => {
  const length = 2 ** 20
  const changes: ((value: StringValue) => unknown)[] = [
    value => value.setBit(7, 1),
    value => value.overwrite(5, Buffer.from('new')),
    value => value.append(Buffer.from('more')),
    value => value.assign('short'),
    value => value.assign(Buffer.alloc(length, 'z')),
  ]
  for (const change of changes) {
    const bytes = Buffer.alloc(length, 'x')
    const value = StringValue.create(new MemoryRows(), bytes)
    const ctx = new FakeContext(stringCommands)
    const writer = new ReplyWriter()
    replyString(Object.assign(ctx, { reply: writer }), value)
    change(value)
    const pieces = writer.take()
    t.ok(Buffer.concat(pieces).equals(Buffer.from(`$${length}\r\n${'x'.repeat(length)}\r\n`)), String(change))
    t.ok(pieces.some(piece => piece.buffer === bytes.buffer))
  }
})

t.test('a value below that is copied: it may be changed in place', async t => {
  const bytes = Buffer.alloc(2 ** 20 - 1, 'x')
  const value = StringValue.create(new MemoryRows(), bytes)
  const ctx = new FakeContext(stringCommands)
  const writer = new ReplyWriter()
  replyString(Object.assign(ctx, { reply: writer }), value)
  value.setBit(0, 1)
  t.equal(value.bytes().buffer, bytes.buffer)
  t.ok(Buffer.concat(writer.take()).equals(Buffer.from(`$${bytes.length}\r\n${'x'.repeat(bytes.length)}\r\n`)))
})

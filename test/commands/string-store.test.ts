import t from 'tap'
import { Args } from '../../src/commands/args.js'
import { setCommands } from '../../src/commands/set-commands.js'
import { contentOf, storeContent } from '../../src/commands/string-store.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { requestOf } from '../../src/resp/request.js'
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

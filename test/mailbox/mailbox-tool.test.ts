// What the tool says to wrong words; what it does is proved by convert-watermarks.test.ts.

import t from 'tap'
import { freePort } from '../support/redis-server.js'
import { runMailboxTool } from '../../src/mailbox/mailbox-tool.js'

const silent = { out: () => undefined, err: () => undefined }

t.test('no words: how it is used', async t => {
  let out = ''
  const output = { ...silent, out: (text: string) => void (out += text) }
  t.equal(await runMailboxTool([], output), 1)
  t.match(out, /millrace mailbox convert --shard N --to packed-v1\|packed-v2/)
  t.equal(await runMailboxTool(['convert', '--help'], output), 0)
})

t.test('wrong words are one sentence', async t => {
  const wrong: readonly (readonly [string[], RegExp])[] = [
    [['melt', '--shard', '1'], /'melt' is no action.*convert, fence or show/],
    [['show', 'convert', '--shard', '1'], /is no action/],
    [['show'], /--shard names the shard/],
    [['show', '--shard', 'x'], /--shard is a whole number up to 4294967295, not 'x'/],
    [['show', '--shard', '-1'], /--shard/],
    [['show', '--shard', '4294967296'], /--shard is a whole number/],
    [['convert', '--shard', '1'], /--to names the layout: packed-v1 or packed-v2/],
    [['convert', '--shard', '1', '--to', 'v3'], /--to names the layout/],
    [['fence', '--shard', '1', '--epoch', '65535'], /--epoch is a whole number up to 65534/],
    [['show', '--shard', '1', '--port', 'http'], /--port/],
    [['show', '--shard', '1', '--nonsense'], /nonsense/],
  ]
  for (const [argv, message] of wrong) {
    await t.rejects(runMailboxTool(argv, silent), { name: 'UsageError', message }, argv.join(' '))
  }
})

t.test('a server that is not there is one sentence', async t => {
  const port = String(await freePort())
  const message = new RegExp(`the server at 127.0.0.1:${port} did not do it: `)
  await t.rejects(runMailboxTool(['show', '--shard', '1', '--port', port], silent), { name: 'UsageError', message })
})

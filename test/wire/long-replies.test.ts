// XRANGE and its kin over sockets whose clients read slowly: the exact bytes of the moment of the command, whatever
// writers do meanwhile, out of memory and out of the store.

import t from 'tap'
import { startInProcess } from '../support/in-process.js'
import { adding, entries, run } from '../support/long-stream.js'
import type { RespClient } from '../support/resp-client.js'
import { becomes, SlowReader } from '../support/slow-reader.js'
import { tempDir } from '../support/temp-dir.js'

/** Beyond what the sockets of a connection take by themselves. */
const ENTRIES = 4000

const SMALL_CACHE = { pageCacheBytes: 1024 * 1024 }
const ALL = entries(1, ENTRIES)

/** Writers who change everything that a running reply has still to send. */
const WRITERS: Record<string, (client: RespClient) => Promise<unknown>> = {
  'entries are added and deleted': async client => {
    const deleted = Array.from({ length: ENTRIES / 4 }, (_, i) => `XDEL s ${i * 4 + 1}-1`)
    await run(client, deleted)
    await run(client, adding('s', ENTRIES + 1, ENTRIES + 500))
  },
  'the stream is trimmed and written again, with checkpoints': async client => {
    await run(client, ['XTRIM s MAXLEN 0', 'SAVE', ...adding('s', ENTRIES + 1, ENTRIES + 1000), 'SAVE'])
  },
  'the stream is trimmed in the middle of a page': client => client.command('XTRIM', 's', 'MAXLEN', '10'),
  'the key is deleted': client => client.command('DEL', 's'),
  'everything is flushed, and the space reclaimed': async client => {
    await run(client, ['FLUSHALL', 'SAVE'])
    await new Promise(resolve => setTimeout(resolve, 150))
    await run(client, [...adding('other', 1, 1000), 'SAVE'])
  },
}

/** How much of the stream is in the last checkpoint. */
const SAVED = { half: ENTRIES / 2, all: ENTRIES }

for (const [what, write] of Object.entries(WRITERS)) {
  for (const [state, saved] of Object.entries(SAVED)) {
    t.test(`XRANGE gives the entries of its moment: saved is ${state}, and ${what}`, async t => {
      const { connect, port, server } = await startInProcess(t, tempDir(t), SMALL_CACHE)
      const writer = await connect()
      if (saved > 0) await run(writer, [...adding('s', 1, saved), 'SAVE'])
      if (saved < ENTRIES) await run(writer, adding('s', saved + 1, ENTRIES))
      const reader = await SlowReader.over(t, port)
      reader.send('XRANGE', 's', '-', '+')
      t.ok(await becomes(() => server.longReplies.count === 1), 'it runs')
      await write(writer)
      t.equal(server.longReplies.count, 1, 'it still runs')
      t.ok((await reader.read(ALL.length)) === ALL, 'the very bytes')
      t.ok(await becomes(() => server.longReplies.count === 0), 'it has ended')
      t.equal(server.longReplies.pinnedBytes, 0, 'nothing is held any more')
    })
  }
}

// All commands whose replies are stream entries, streamed: the same bytes as ever, in both protocols, over TCP and a
// Unix socket; and what a long delivery leaves behind.

import t from 'tap'
import { startInProcess } from '../support/in-process.js'
import { adding, entries, entry, run } from '../support/long-stream.js'
import { becomes, SlowReader } from '../support/slow-reader.js'
import { tempDir } from '../support/temp-dir.js'

const ENTRIES = 2000

const SMALL_CACHE = { pageCacheBytes: 1024 * 1024 }
const ALL = entries(1, ENTRIES)

t.test('every reader of entries streams, in both protocols, over TCP and a Unix socket', async t => {
  const dir = tempDir(t)
  const unixsocket = `${tempDir(t)}/s`
  const { connect, port, server } = await startInProcess(t, dir, { ...SMALL_CACHE, unixsocket })
  const writer = await connect()
  await run(writer, [...adding('s', 1, ENTRIES / 2), 'SAVE', ...adding('s', ENTRIES / 2 + 1, ENTRIES)])
  await run(writer, ['XADD short 1-1 f v'])
  const short = '*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n'
  const named = (key: string, text: string) => `$${key.length}\r\n${key}\r\n${text}`
  const pairs = (...texts: string[]) => `*${texts.length}\r\n${texts.map(text => `*2\r\n${text}`).join('')}`
  const map = (...texts: string[]) => `%${texts.length}\r\n${texts.join('')}`
  for (const place of [port, unixsocket]) {
    for (const protocol of [2, 3]) {
      const group = `g${protocol}${typeof place}`
      await run(writer, [`XGROUP CREATE s ${group} 0`, `XGROUP CREATE short ${group} 0`])
      const reader = await SlowReader.over(t, place)
      const replies = protocol === 2 ? pairs : map
      reader.send('HELLO', String(protocol))
      await reader.read((await writer.text('HELLO', String(protocol))).length)
      const ask = async (text: string, ...words: string[]) => {
        const before = server.longReplies.started
        reader.send(...words)
        t.ok((await reader.read(text.length)) === text, `${words.join(' ')} in RESP${protocol}`)
        t.equal(server.longReplies.started, before + 1, 'it was streamed')
      }
      await ask(ALL, 'XRANGE', 's', '-', '+')
      await ask(entries(501, 1500), 'XRANGE', 's', '501', '1500')
      await ask(entries(7, 1006), 'XRANGE', 's', '7', '+', 'COUNT', '1000')
      await ask(entries(ENTRIES, 1), 'XREVRANGE', 's', '+', '-')
      await ask(entries(1500, 751), 'XREVRANGE', 's', '1500', '5', 'COUNT', '750')
      await ask(replies(named('s', ALL)), 'XREAD', 'STREAMS', 's', '0')
      const three = [named('short', short), named('s', entries(1001, ENTRIES)), named('short', short)]
      await ask(replies(...three), 'XREAD', 'STREAMS', 'short', 's', 'short', '0', '1000-1', '0')
      const delivered = replies(named('s', entries(1, 1500)), named('short', short))
      await ask(delivered, 'XREADGROUP', 'GROUP', group, 'c', 'COUNT', '1500', 'STREAMS', 's', 'short', '>', '>')
      await ask(replies(named('s', entries(1501, ENTRIES))), 'XREADGROUP', 'GROUP', group, 'c', 'STREAMS', 's', '>')
      await run(writer, [`XACK s ${group} 2-1`])
      const history = `*${ENTRIES - 1}\r\n${entry(1)}${entries(3, ENTRIES).replace(/^\*\d+\r\n/, '')}`
      await ask(replies(named('s', history)), 'XREADGROUP', 'GROUP', group, 'c', 'STREAMS', 's', '0')
    }
  }
})

t.test('history shows what was deleted since as gone, and passes over pages without a pending entry', async t => {
  const { connect, port, server } = await startInProcess(t, tempDir(t), SMALL_CACHE)
  const writer = await connect()
  await run(writer, [...adding('s', 1, ENTRIES), 'XGROUP CREATE s g 0', 'XREADGROUP GROUP g c STREAMS s >'])
  const acknowledged = Array.from({ length: 500 }, (_, i) => `XACK s g ${500 + i}-1`)
  const deleted = Array.from({ length: 100 }, (_, i) => `XDEL s ${1250 + i}-1`)
  await run(writer, [...acknowledged, ...deleted, 'SAVE'])
  const texts: string[] = []
  for (let i = 1; i <= ENTRIES; i++) {
    if (i >= 500 && i < 1000) continue
    const gone = i >= 1250 && i < 1350
    texts.push(gone ? `*2\r\n$6\r\n${i}-1\r\n*-1\r\n` : entry(i))
  }
  const expected = `*1\r\n*2\r\n$1\r\ns\r\n*${texts.length}\r\n${texts.join('')}`
  const reader = await SlowReader.over(t, port)
  reader.send('XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', 's', '0')
  t.ok(await becomes(() => server.longReplies.count === 1))
  await run(writer, ['XTRIM s MAXLEN 0', 'XGROUP DESTROY s g'])
  t.ok((await reader.read(expected.length)) === expected)
})

t.test('what is delivered by a long reply is pending, counted and journaled as by a short one', async t => {
  const dir = tempDir(t)
  const first = await startInProcess(t, dir, SMALL_CACHE)
  const client = await first.connect()
  await run(client, [...adding('s', 1, ENTRIES), 'XGROUP CREATE s g 0', 'XREADGROUP GROUP g c STREAMS s >'])
  t.ok(first.server.longReplies.started > 0)
  const [groups, pending] = [await client.text('XINFO', 'GROUPS', 's'), await client.text('XPENDING', 's', 'g')]
  t.match(groups, `entries-read\r\n:${ENTRIES}\r\n$3\r\nlag\r\n:0`)
  t.match(pending, `*4\r\n:${ENTRIES}\r\n`)
  await first.server.close({ save: false })
  const again = await (await startInProcess(t, dir, SMALL_CACHE)).connect()
  t.equal(await again.text('XINFO', 'GROUPS', 's'), groups)
  t.equal(await again.text('XPENDING', 's', 'g'), pending)
})

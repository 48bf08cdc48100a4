import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { RespClient } from '../support/resp-client.js'
import { startInProcess } from '../support/in-process.js'
import { tempDir } from '../support/temp-dir.js'

type Figures = Record<string, number>

async function figuresOf(client: RespClient): Promise<Figures> {
  const text = await client.text('INFO', 'capacity')
  return Object.fromEntries(
    Array.from(text.matchAll(/^capacity_(\w+):(-?\d+)\r$/gm), ([, name, n]) => [name, Number(n)]),
  )
}

/** Asks until a walk has ended that began after the call: the second that ends from now on. */
async function fresh(client: RespClient): Promise<Figures> {
  let ended = 0
  for (let before = await figuresOf(client); ; await sleep(20)) {
    const figures = await figuresOf(client)
    const another =
      figures.survey_age_ms >= 0 && (before.survey_age_ms < 0 || figures.survey_age_ms < before.survey_age_ms)
    if (another && ++ended === 2) return figures
    before = figures
  }
}

async function fill(client: RespClient, streams: number): Promise<void> {
  for (let i = 0; i < streams; i++) {
    for (let n = 1; n <= 10; n++) await client.text('XADD', `s${i}`, `${n}-0`, 'field', 'x'.repeat(100))
    await client.text('XGROUP', 'CREATE', `s${i}`, 'g', '0')
    await client.text('XREADGROUP', 'GROUP', 'g', 'worker', 'COUNT', 4, 'STREAMS', `s${i}`, '>')
  }
  await client.text('SET', 'other', 'value')
}

t.test('the sums of all streams are told, of what is kept and of what is delivered', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const client = await connect()
  await fill(client, 5)
  await client.text('SELECT', 3)
  await client.text('XADD', 'elsewhere', '*', 'a', 'b')
  const figures = await fresh(client)
  t.match(figures, {
    streams: 6,
    streams_unreadable: 0,
    payload_entries: 51,
    groups: 5,
    consumers: 5,
    pending: 20,
  })
  t.ok(figures.payload_bytes > 5000 && figures.payload_bytes === figures.payload_bytes_cached)
  t.ok(figures.delivery_bytes > 20 * 16)
  t.notMatch(await client.text('INFO'), /capacity_/, 'only who asks pays for it')
  await client.text('DEL', 'elsewhere')
  t.equal((await fresh(client)).streams, 5, 'a later walk sees what has changed')
})

t.test('streams that are not in memory are counted and stay where they are', async t => {
  const dir = tempDir(t)
  const first = await startInProcess(t, dir)
  await fill(await first.connect(), 40)
  await first.server.close()
  const { server, connect } = await startInProcess(t, dir)
  const client = await connect()
  const before = server.keyspace.rows.cache.heldBytes
  t.match(await fresh(client), {
    streams: 40,
    payload_entries: 400,
    payload_bytes_cached: 0,
    groups: 40,
    consumers: 40,
    pending: 160,
  })
  t.equal(server.keyspace.rows.cache.heldBytes, before)
  const loaded = Array.from(server.keyspace.database(0).keys()).filter(entry => entry.loaded)
  t.same(loaded, [])
})

t.test('a walk over many keys goes on in slices, and others are served', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const client = await connect()
  for (let i = 0; i < 20_000; i += 500) {
    await client.text('MSET', ...Array.from({ length: 500 }, (_, n) => [`key${i + n}`, 'v']).flat())
  }
  await fill(client, 3)
  const asked = await figuresOf(client)
  if (asked.survey_running === 1) t.match(asked, { survey_age_ms: -1, streams: 0 }, 'nothing half is told')
  while ((await figuresOf(client)).survey_age_ms < 0) t.equal(await client.text('PING'), '+PONG\r\n')
  t.match(await figuresOf(client), { streams: 3, payload_entries: 30, pending: 12 })
})

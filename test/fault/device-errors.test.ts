// Errors of a real device (EIO), not of a stand-in: the journal's writes and syncs, LMDB's reads through memory and its
// sync. Every error says why, what is in memory is served on, nothing is acknowledged from then on, and on the mended
// disk nothing that was acknowledged is missing. Left out where no such disk can be had.

import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { failingDisk } from '../support/failing-disk.js'
import type { FailingDisk } from '../support/failing-disk.js'
import { RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'
import type { RunningServer } from '../support/start-server.js'

t.setTimeout(120_000)
const VALUE_BYTES = 20_000
const REFUSED = /^-MISCONF Errors (writing to|syncing) the journal: .*(EIO|EROFS)/

const valueOf = (i: number): string => `${i}:`.padEnd(VALUE_BYTES, String.fromCharCode(97 + (i % 26)))
const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`

class Trial {
  server!: RunningServer
  client!: RespClient
  /** Values below this one were acknowledged. */
  acknowledged = 0

  constructor(
    readonly t: Test,
    readonly disk: FailingDisk,
  ) {}

  async start(): Promise<void> {
    const { inside, through } = this.disk
    const args = ['--appendfsync', 'always', '--page-cache-bytes', '1mb']
    this.server = await startServer({ dir: inside, through, args })
    this.t.teardown(() => this.server.kill9())
    this.client = await RespClient.connect(this.server.port)
    this.t.teardown(() => this.client.close())
  }

  /** Sets values until one is refused, at most so many; the refusal. */
  async write(max: number): Promise<string | undefined> {
    for (let n = 0; n < max; n++) {
      const reply = await this.client.text('SET', `key${this.acknowledged}`, valueOf(this.acknowledged))
      if (reply !== '+OK\r\n') return reply
      this.acknowledged++
    }
    return undefined
  }

  async mend(): Promise<void> {
    this.client.close()
    await this.server.kill9()
    this.disk.mend()
    await this.start()
  }

  async verify(): Promise<void> {
    const missing: number[] = []
    for (let i = 0; i < this.acknowledged; i++) {
      if ((await this.client.text('GET', `key${i}`)) !== bulk(valueOf(i))) missing.push(i)
    }
    this.t.same(missing, [], `all of ${this.acknowledged} acknowledged values are there`)
  }
}

async function trial(t: Test): Promise<Trial | undefined> {
  const disk = await failingDisk(t)
  if (disk === undefined) return undefined
  const trial = new Trial(t, disk)
  await trial.start()
  return trial
}

for (const [what, broken] of [
  ['the device fails under the sync of the journal', (disk: FailingDisk) => disk.breakDevice()],
  ['the journal cannot be written', (disk: FailingDisk) => disk.breakFiles()],
] as const) {
  t.test(`${what}: nothing more is acknowledged, reads go on, and nothing acknowledged is lost`, async t => {
    const one = await trial(t)
    if (one === undefined) return
    t.equal(await one.write(40), undefined)
    broken(one.disk)
    const unlucky = await RespClient.connect(one.server.port)
    let answered = false
    // It was executed before its journal failed, and waits for an acknowledgement that cannot be given.
    void unlucky.text('SET', 'unlucky', valueOf(1)).then(
      () => (answered = true),
      () => undefined,
    )
    while (!/Errors (writing to|syncing) the journal/.test(one.server.output())) await sleep(5)
    t.match(await one.client.text('INFO', 'persistence'), /aof_last_write_status:err/)
    t.match(await one.client.text('SET', 'other', valueOf(2)), REFUSED, 'the error says why')
    t.match(await one.client.text('INCR', 'number'), REFUSED, 'the next write is refused as well')
    for (const i of [0, 39]) t.equal(await one.client.text('GET', `key${i}`), bulk(valueOf(i)), 'reads go on')
    t.equal(answered, false, 'nothing was acknowledged')
    unlucky.close()
    await one.mend()
    await one.verify()
    t.equal(await one.write(5), undefined, 'the mended disk is written')
  })
}

t.test('the device fails under a checkpoint: it says why, and the journal keeps everything', async t => {
  const one = await trial(t)
  if (one === undefined) return
  t.equal(await one.write(40), undefined)
  one.disk.breakDevice()
  t.match(await one.client.text('SAVE'), /^-.*EIO|^-.*[Ii]nput\/output|^-.*i\/o error/, 'the error says why')
  t.match(await one.client.text('INFO', 'persistence'), /rdb_last_bgsave_status:err/)
  t.equal(
    await one.client.text('GET', 'key3'),
    bulk(valueOf(3)),
    'its rows are still in memory, since no disk has them',
  )
  await one.mend()
  await one.verify()
  t.equal(await one.client.text('SAVE'), '+OK\r\n')
})

t.test('rows that the device does not give are refused by name; the process and what is in memory stay', async t => {
  const one = await trial(t)
  if (one === undefined) return
  t.equal(await one.write(200), undefined)
  t.equal(await one.client.text('SET', 'small', 'value'), '+OK\r\n')
  t.equal(await one.client.text('SAVE'), '+OK\r\n')
  // The system holds nothing of the files in memory after that.
  await one.mend()
  t.equal(await one.client.text('GET', 'key150'), bulk(valueOf(150)))
  one.disk.breakDevice()
  const replies: string[] = []
  for (let i = 0; i < one.acknowledged; i++) replies.push(await one.client.text('GET', `key${i}`))
  const refused = replies.filter(reply => reply.startsWith('-'))
  t.ok(refused.length > 0, `${refused.length} of ${replies.length} values cannot be read`)
  for (const reply of refused) if (!/^-CORRUPT .*device.* \(key 'key\d+'\)\r\n$/.test(reply)) t.fail(reply)
  const wrong = replies.filter((reply, i) => !reply.startsWith('-') && reply !== bulk(valueOf(i)))
  t.same(wrong, [], 'nothing is read that was never written')
  t.equal(replies[150], bulk(valueOf(150)), 'what is in memory is served')
  t.equal(await one.client.text('PING'), '+PONG\r\n')
  await one.mend()
  await one.verify()
})

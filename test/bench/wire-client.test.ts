import t from 'tap'
import { encode, replyEnd, WireClient } from '../../bench/wire-client.js'
import { build } from 'hdr-histogram-js'
import { startInProcess } from '../support/in-process.js'
import { tempDir } from '../support/temp-dir.js'

t.test('finds the end of a reply, however it is nested, and no end in part of one', async t => {
  for (const reply of [
    '+OK\r\n',
    ':12\r\n',
    '$-1\r\n',
    '*-1\r\n',
    '*0\r\n',
    '$4\r\na\r\nb\r\n',
    '*2\r\n*1\r\n:1\r\n$1\r\nx\r\n',
  ]) {
    const bytes = Buffer.from(`${reply}+NEXT\r\n`)
    t.equal(replyEnd(bytes, 0), reply.length, JSON.stringify(reply))
    for (let cut = 1; cut < reply.length; cut++) t.equal(replyEnd(bytes.subarray(0, cut), 0), -1)
  }
})

t.test('counts replies, times each round trip, and does not measure errors', async t => {
  const { port } = await startInProcess(t, tempDir(t))
  const client = await WireClient.connect(port)
  client.latencies = build({ highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: 3 })
  await client.send(Buffer.concat([encode('SET', 'k', 1), encode('GET', 'k')]), 2)
  t.equal(client.last.toString(), '$1\r\n1\r\n')
  t.equal(client.latencies.totalCount, 1)
  await t.rejects(client.send(encode('LPUSH', 'k', 'v'), 1), { message: /WRONGTYPE/ })
  client.close()
})

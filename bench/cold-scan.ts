// Reads through the cold streams of fairness-rows again and again, with so many clients, until it is killed: in a
// process of its own, which must not keep the measuring one from looking at its clock. Arguments: port, clients.

import { pathToFileURL } from 'node:url'
import { encode, WireClient } from './wire-client.js'

export const COLD_STREAMS = 64
export const SCAN_COUNT = 100
/** The last entry of a reply begins within so many bytes of its end. */
const TAIL_BYTES = 2200

async function scan(port: number, first: number): Promise<void> {
  const client = await WireClient.connect(port)
  for (let stream = first; ; stream = (stream + 1) % COLD_STREAMS) {
    for (let from = '-'; ;) {
      await client.send(encode('XRANGE', `cold:${stream}`, from, '+', 'COUNT', SCAN_COUNT), 1)
      const tail = client.last.toString('latin1', Math.max(0, client.last.length - TAIL_BYTES))
      const last = [...tail.matchAll(/\r\n(\d+-\d+)\r\n/g)].at(-1)
      if (last === undefined) break
      from = `(${last[1]}`
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [port, clients] = process.argv.slice(2).map(Number)
  // Each begins elsewhere: together they read more than any cache holds.
  for (let i = 0; i < clients; i++) void scan(port, Math.floor((i * COLD_STREAMS) / clients))
}

// npm run bench:cold-range [-- --mib N]: how fast XRANGE gives what is on the disk alone, beside what the disk gives in
// one go. Streams of so many MiB are filled and the server is ended; the kernel forgets the store's file; dd reads it
// without the kernel's cache; it is forgotten again, and one client reads all streams whole. Redis has them in memory.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { randomBytes } from 'node:crypto'
import { Peer, type PeerName } from './peer.js'
import { encode, target, WireClient } from './wire-client.js'

const { values: options } = parseArgs({ options: { mib: { type: 'string', default: '1024' } } })
const bytesWanted = Number(options.mib) * 1024 * 1024
const STREAMS = 64
const ENTRY_BYTES = 1000
const BATCH = 500

async function fillStreams(port: number): Promise<void> {
  const client = await WireClient.connect(port)
  const text = randomBytes((ENTRY_BYTES * BATCH) / 2).toString('hex')
  const perStream = Math.ceil(bytesWanted / STREAMS / ENTRY_BYTES)
  for (let stream = 0; stream < STREAMS; stream++) {
    for (let done = 0; done < perStream; done += BATCH) {
      const value = (i: number) => `${done + i}:${text.slice(i * ENTRY_BYTES, (i + 1) * ENTRY_BYTES - 8)}`
      const adds = Array.from({ length: BATCH }, (_, i) => encode('XADD', `cold:${stream}`, '*', 'field', value(i)))
      await client.send(Buffer.concat(adds), BATCH)
    }
  }
  client.close()
}

/** Drops a file from the kernel's cache; nobody may have it mapped. */
function forget(file: string): void {
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
}

/** Bytes a second, without the kernel's cache. */
function deviceRate(file: string): number {
  const began = performance.now()
  execFileSync('dd', [`if=${file}`, 'of=/dev/null', 'bs=4M', 'iflag=direct'], { stdio: 'ignore' })
  return statSync(file).size / ((performance.now() - began) / 1000)
}

/** Reads all streams whole; the bytes that came. Whole replies end with what a PING behind them answers. */
async function readAll(port: number): Promise<number> {
  const socket = net.connect(port, target.host)
  await once(socket, 'connect')
  let bytes = 0
  let tail = ''
  const over = new Promise<void>(resolve => {
    socket.on('data', chunk => {
      bytes += chunk.length
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 16))).slice(-16)
      if (tail.endsWith('\r\nall-read\r\n')) resolve()
    })
  })
  const ranges = Array.from({ length: STREAMS }, (_, i) => encode('XRANGE', `cold:${i}`, '-', '+'))
  socket.write(Buffer.concat([...ranges, encode('ECHO', 'all-read')]))
  await over
  socket.destroy()
  return bytes
}

const mibPerS = (rate: number): string => (rate / 1024 / 1024).toFixed(0)

async function run(name: PeerName): Promise<void> {
  const peer = new Peer(name, 'everysec')
  try {
    await peer.start()
    await fillStreams(peer.port)
    let device = ''
    let fileBytes = 0
    if (name === 'millrace') {
      await peer.end('SIGTERM')
      const file = join(peer.dir, 'store', 'data.mdb')
      fileBytes = statSync(file).size
      forget(file)
      device = mibPerS(deviceRate(file))
      forget(file)
      await peer.start()
    }
    const before = peer.cpuSeconds()
    const began = performance.now()
    const bytes = await readAll(peer.port)
    const seconds = (performance.now() - began) / 1000
    const cpuMs = ((peer.cpuSeconds() - before) * 1000) / (bytes / 1024 / 1024)
    const fileRate = fileBytes === 0 ? '' : mibPerS(fileBytes / seconds)
    console.log(`| ${[name, mibPerS(bytes / seconds), fileRate, device, cpuMs.toFixed(2)].join(' | ')} |`)
  } finally {
    await peer.remove()
  }
}

console.log(`XRANGE over ${options.mib} MiB in ${STREAMS} streams, one client; page cache 64 MiB:\n`)
const head = [
  'server',
  'replies, MiB/s',
  'of the file, MiB/s',
  'the device in one go, MiB/s',
  'CPU ms per MiB of replies',
]
console.log(`| ${head.join(' | ')} |\n| ${head.map(() => '---').join(' | ')} |`)
for (const name of ['redis', 'millrace'] as const) await run(name)

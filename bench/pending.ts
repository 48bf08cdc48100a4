// `npm run bench:pending`: what pending entries cost, by how many there are. A server is filled once per size, and all
// rows of pending-rows.ts for that size are measured on it, one after the other; the two servers take turns. Prints a
// table, and writes it to --out FILE. --rounds N (3), --sizes N,N,… (1000,100000,1000000).

import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import type { Row } from './load.js'
import { Peer } from './peer.js'
import type { PeerName } from './peer.js'
import { deliver, pendingRows, SIZES } from './pending-rows.js'
import { fill, xautoclaim } from './rows.js'

const { values } = parseArgs({
  options: { out: { type: 'string' }, rounds: { type: 'string' }, sizes: { type: 'string' } },
})
const rounds = Number(values.rounds ?? 3)
const sizes = values.sizes?.split(',').map(Number) ?? SIZES
const PEERS: readonly PeerName[] = ['redis', 'millrace']
const MEMORY = 'memory'
/** Redis needs seconds for each of these among very many. */
const LOOPS_MAX = 3
/** So that the clock of the kernel, 10 ms, does not tell. */
const OPERATIONS_MIN = 500

/** Rows of one size; those that look for idle entries behind all others come with a name of their own. */
function rowsOf(size: number): [string, Row, number][] {
  const rows = pendingRows.filter(row => row.name.endsWith(`-${size}`) && !row.name.startsWith('xautoclaim-1'))
  const behind = xautoclaim(size - 100)
  return [
    ...rows.map((row): [string, Row, number] => [row.name.slice(0, -`-${size}`.length), row, row.operations]),
    ['xautoclaim-last', behind, behind.operations],
  ]
}

/** CPU microseconds per operation by row, and bytes per pending entry. */
async function measure(name: PeerName, size: number): Promise<Map<string, number>> {
  const figures = new Map<string, number>()
  const peer = new Peer(name, 'everysec')
  try {
    await peer.start()
    await fill(peer.port, 1, size)
    await peer.settle()
    const before = peer.rssAnonBytes()
    await deliver(peer.port, size)
    await peer.settle()
    figures.set(MEMORY, (peer.rssAnonBytes() - before) / size)
    for (const [row, { warmUp, measure: run }, operations] of rowsOf(size)) {
      const slow = name === 'redis' && size > 10_000 && row.startsWith('xautoclaim')
      const count = slow ? LOOPS_MAX : Math.max(operations, OPERATIONS_MIN)
      await warmUp(peer.port)
      await peer.settle()
      const cpu = peer.cpuSeconds()
      await run(peer.port, count)
      figures.set(row, ((peer.cpuSeconds() - cpu) * 1e6) / count)
    }
  } finally {
    await peer.remove()
  }
  return figures
}

const median = (some: number[]): number => some.sort((a, b) => a - b)[some.length >> 1]

const samples = new Map<string, number[]>()
for (let round = 0; round < rounds; round++) {
  for (const size of sizes) {
    for (const peer of PEERS) {
      for (const [row, figure] of await measure(peer, size)) {
        const key = `${row} ${peer} ${size}`
        samples.set(key, [...(samples.get(key) ?? []), figure])
      }
      process.stderr.write(`round ${round + 1}, ${size} pending, ${peer}\n`)
    }
  }
}

const rows = [...new Set([...samples.keys()].map(key => key.split(' ')[0]))].filter(row => row !== MEMORY)
const figure = (row: string, peer: string, size: number): number =>
  median(samples.get(`${row} ${peer} ${size}`) ?? [NaN])
const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(2))
const growth = (row: string, peer: string): string => {
  return (figure(row, peer, sizes[sizes.length - 1]) / figure(row, peer, sizes[0])).toFixed(1)
}
const heads = sizes.map(size => size.toLocaleString('en'))
const lines = [
  `| row | ${PEERS.map(peer => `${heads.map(head => `${peer} ${head}`).join(' | ')} | growth`).join(' | ')} |`,
  `|${' --- |'.repeat(1 + PEERS.length * (sizes.length + 1))}`,
  ...rows.map(row => {
    const cells = PEERS.map(peer => [...sizes.map(size => shown(figure(row, peer, size))), `**${growth(row, peer)}**`])
    return `| ${row} | ${cells.flat().join(' | ')} |`
  }),
  '',
  ...PEERS.map(peer => {
    const bytes = sizes.map((size, i) => `${shown(figure(MEMORY, peer, size))} among ${heads[i]}`)
    return `- Anonymous resident memory per pending entry, ${peer}, bytes: ${bytes.join(', ')}.`
  }),
]
const head = [
  '# Pending entries',
  '',
  `Server CPU in microseconds per operation (user + system time of the whole process), medians of ${rounds} rounds;`,
  `${cpus().length} x ${cpus()[0].model}, Node.js ${process.version}; both with an append-only log, everysec. *Growth*`,
  'is the last size by the first. Written by `npm run bench:pending`; the rows are those of `bench/pending-rows.ts`.',
  '',
]
const text = [...head, ...lines, ''].join('\n')
process.stdout.write(text)
if (values.out !== undefined) writeFileSync(values.out, text)

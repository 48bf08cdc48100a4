// One sample: one row on one server, in a process of its own so that no row is measured by a client that the rows
// before it have warmed or worn. Started by sampling.ts with a SampleRequest as its argument; prints a Sample as JSON.

import { growthRows } from './growth-rows.js'
import type { Measured, Row } from './load.js'
import { Peer } from './peer.js'
import type { PeerName } from './peer.js'
import { pendingRows } from './pending-rows.js'
import { rows } from './rows.js'
import { target } from './wire-client.js'

export interface SampleRequest {
  readonly row: string
  readonly peer: PeerName
  readonly operations: number
}

export interface Sample extends Measured {
  /** User and system time of the whole server process while it was measured. */
  readonly cpuSeconds: number
  /** After the measurement. */
  readonly rssAnonBytes: number
  readonly diskBytes: number
}

export async function takeSample(row: Row, name: PeerName, operations: number): Promise<Sample> {
  const peer = new Peer(name, row.fsync)
  target.host = peer.host
  try {
    await peer.start()
    await row.prepare?.(peer.port, operations)
    await row.warmUp(peer.port)
    await peer.settle()
    const before = peer.cpuSeconds()
    const measured = await row.measure(peer.port, operations)
    const cpuSeconds = peer.cpuSeconds() - before
    return { ...measured, cpuSeconds, rssAnonBytes: peer.rssAnonBytes(), diskBytes: peer.diskBytes() }
  } finally {
    await peer.remove()
  }
}

const argument = process.argv[2]
if (argument !== undefined) {
  const request = JSON.parse(argument) as SampleRequest
  const row = [...rows, ...pendingRows, ...growthRows].find(({ name }) => name === request.row)
  if (row === undefined) throw new Error(`there is no row ${request.row}`)
  process.stdout.write(JSON.stringify(await takeSample(row, request.peer, request.operations)))
}

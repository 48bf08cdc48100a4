// What INFO says about all clients together.

import type { Server } from './server.js'

export interface ClientCounts {
  readonly connected: number
  readonly inputBytesMax: number
  readonly outputBytesMax: number
}

export function clientCounts(server: Server): ClientCounts {
  let connected = 0
  let inputBytesMax = 0
  let outputBytesMax = 0
  for (const session of server.sessions()) {
    connected++
    inputBytesMax = Math.max(inputBytesMax, session.queryBufferBytes)
    outputBytesMax = Math.max(outputBytesMax, session.outputBytes)
  }
  return { connected, inputBytesMax, outputBytesMax }
}

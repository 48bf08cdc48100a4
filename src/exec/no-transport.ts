// The connection of a client that has none: internal callers such as the journal's replay.

import type { Transport } from './transport.js'

const nothing = (): void => undefined

export const NO_TRANSPORT: Transport = {
  address: '',
  localAddress: '',
  unix: false,
  fd: -1,
  unsentBytes: 0,
  unsentChunks: 0,
  bufferedInputBytes: 0,
  freeInputBytes: 0,
  closed: false,
  send: nothing,
  resume: nothing,
  destroy: nothing,
  endAfterSend: nothing,
  pauseReading: nothing,
  setParserLimits: nothing,
}

// The client that stands for a running script: its commands run in this session, with a reply that is written into the
// memory it is read from. Used by: script-calls.

import { NO_TRANSPORT } from './no-transport.js'
import { ClientSession } from './session.js'
import type { SessionHost } from './session.js'
import type { Transport } from './transport.js'

/** How MONITOR shows it. */
const LUA_TRANSPORT: Transport = { ...NO_TRANSPORT, address: 'lua', localAddress: 'lua' }

export function scriptSession(host: SessionHost): ClientSession {
  const session = new ClientSession(0, LUA_TRANSPORT, host)
  session.authenticated = true
  session.isScript = true
  return session
}

// Millrace as a library: a server inside this process. Clients reach it over TCP or a Unix socket like any other.
//
//   const server = await startServer({ port: 0, dir: '/var/lib/jobs' })
//   const redis = new Redis(server.port)
//   …
//   await server.close()

import { Config } from './base/config.js'
import type { ConfigValues } from './base/config.js'
import { silentLog } from './base/log.js'
import type { Log } from './base/log.js'
import { MillraceServer } from './server.js'

export type { ConfigValues } from './base/config.js'
export { CorruptionError, UsageError } from './base/errors.js'
export { createLog } from './base/log.js'
export type { Log, LogDestination, LogLevel } from './base/log.js'
export { MILLRACE_VERSION } from './base/version.js'

export interface EmbeddedOptions extends Partial<ConfigValues> {
  /** Where the server's log goes; nowhere when left out. */
  readonly log?: Log
  /** The server ended without close(): by SHUTDOWN (0) or by a defect (1). */
  readonly onStopped?: (code: number) => void
}

export interface EmbeddedServer {
  /** TCP port; 0 when it listens on a Unix socket only. */
  readonly port: number
  /** Ends it: last replies, a checkpoint unless `save` is false, and the data folder is free again. */
  close(options?: { save?: boolean }): Promise<void>
}

/**
 * Starts a server. Options are the directives of docs/configuration.md in camel case ('appendfsync', 'pageCacheBytes').
 * @throws UsageError when the data folder or the address cannot be had; CorruptionError when the data are damaged
 */
export async function startServer(options: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  const { log = silentLog(), onStopped, ...values } = options
  return embedded(await MillraceServer.start({ config: new Config(values), log, onStopped }))
}

function embedded(server: MillraceServer): EmbeddedServer {
  const port = server.tcpPort
  return { port, close: closing => server.close(closing) }
}

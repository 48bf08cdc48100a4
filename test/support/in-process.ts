// A server inside the test's process, over real TCP, with a data folder of its own.

import type { LogDestination } from '../../src/base/log.js'
import { createLog } from '../../src/base/log.js'
import { Config } from '../../src/base/config.js'
import type { ConfigValues } from '../../src/base/config.js'
import { MillraceServer } from '../../src/server.js'
import type { ServerOptions } from '../../src/server.js'
import { RespClient } from './resp-client.js'
import type { Teardown } from './temp-dir.js'

export interface InProcess {
  readonly server: MillraceServer
  readonly port: number
  /** Everything it logged. */
  readonly lines: string[]
  /** Exit codes it suggested. */
  readonly stopped: number[]
  connect(): Promise<RespClient>
}

/** Starts one in `dir`; it is closed at the end of the test if the test did not do so. */
export async function startInProcess(
  t: Teardown,
  dir: string,
  values: Partial<ConfigValues> = {},
  onListening?: ServerOptions['onListening'],
  options: Pick<ServerOptions, 'journalFiles' | 'clock'> = {},
): Promise<InProcess> {
  const lines: string[] = []
  const destination: LogDestination = { write: line => void lines.push(line) }
  const stopped: number[] = []
  const server = await MillraceServer.start({
    config: new Config({ port: 0, bind: ['127.0.0.1'], dir, enableDebugCommand: 'yes', ...values }),
    log: createLog('debug', destination),
    onStopped: code => stopped.push(code),
    onListening,
    ...options,
  })
  const clients: RespClient[] = []
  t.teardown(async () => {
    for (const client of clients) client.close()
    await server.close({ save: false })
  })
  const connect = async (): Promise<RespClient> => {
    const client = await RespClient.connect(server.tcpPort)
    clients.push(client)
    return client
  }
  return { server, port: server.tcpPort, lines, stopped, connect }
}

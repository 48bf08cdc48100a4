// Which clients count as local for enable-debug-command and enable-protected-configs.

import type { Session } from './server.js'

/** A Unix socket, or a loopback address. */
export function isLocal({ address }: Session): boolean {
  return (
    address.startsWith('/') ||
    address.startsWith('127.') ||
    address.startsWith('[::1]:') ||
    address.startsWith('[::ffff:127.')
  )
}

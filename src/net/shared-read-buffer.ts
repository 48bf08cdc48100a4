// One buffer that all connections read into. By itself Node allocates 64 KiB for every read and leaves them to the
// garbage collector, which costs more than most of the commands that arrive that way. Used by: connection.ts.

import { Socket } from 'node:net'

const READ_BYTES_MAX = 64 * 1024
const buffer = Buffer.allocUnsafeSlow(READ_BYTES_MAX)

/** Takes what was read, bytes[0, length); valid until it returns. */
export type OnBytes = (bytes: Buffer, length: number) => void

/** What Node's types do not name: `handle` is how its own server makes a socket, `onread` is documented for clients. */
interface SocketInternals {
  _handle: unknown
  server: unknown
  _server: unknown
}

/**
 * The connection of `accepted` as a socket that hands over what it reads in the shared buffer instead of emitting
 * 'data'. Node takes a buffer only when a socket is made, so the socket is made anew; `accepted` is not used
 * afterwards. Call it inside the server's 'connection' event, before anything can have been read.
 */
export function readIntoSharedBuffer(accepted: Socket, onBytes: OnBytes): Socket {
  const old = accepted as unknown as SocketInternals
  const callback = (length: number, bytes: Buffer): boolean => {
    onBytes(bytes, length)
    return true
  }
  const options = { handle: old._handle, allowHalfOpen: true, onread: { buffer, callback } }
  const socket = new Socket(options as ConstructorParameters<typeof Socket>[0])
  const fresh = socket as unknown as SocketInternals
  // The server counts its connections through these.
  fresh.server = old.server
  fresh._server = old._server
  old._handle = null
  return socket
}

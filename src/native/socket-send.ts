// Sends bytes to a socket at once. Used by: net/. A write through Node's streams makes a request object and
// runs through four layers, which costs more than the system call.

import { addon } from './addon.js'

/**
 * Sends as much of `pieces` (or of the first of them), in order, as the kernel takes without waiting. Returns the
 * number of bytes, or -errno; -EAGAIN (-11) when it takes none now.
 */
export type SendPieces = (fd: number, pieces: readonly Uint8Array[]) => number

const ENOTCONN = 107

/** Node has no way to write to a socket's descriptor without blocking. Without the addon there are no sockets. */
export const sendPieces: SendPieces = (fd, pieces) => {
  if (addon === undefined) return -ENOTCONN
  // Most replies are one piece, and an array is looked into by calls that cost as much as the rest.
  return pieces.length === 1 ? addon.sendPiece(fd, pieces[0]) : addon.sendPieces(fd, pieces)
}

/** Says to the peer that nothing more will be sent. Returns 0, or -errno. */
export const shutDown: (fd: number) => number = addon?.shutDown ?? (() => -ENOTCONN)

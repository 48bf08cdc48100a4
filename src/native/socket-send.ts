// Sends bytes to a socket at once. Used by: net/connection. A write through Node's streams makes a request object and
// runs through four layers, which costs more than the system call.

import { addon } from './addon.js'

/**
 * Sends as much of `pieces` (or of the first of them), in order, as the kernel takes without waiting. Returns the
 * number of bytes, or -errno; -EAGAIN (-11) when it takes none now.
 */
export type SendPieces = (fd: number, pieces: readonly Uint8Array[]) => number

const EAGAIN = 11

/** Node has no way to write to a socket's descriptor without blocking: nothing is taken, the stream has to do it. */
export const twinSendPieces: SendPieces = () => -EAGAIN

export const nativeSendPieces: SendPieces | undefined = addon?.sendPieces

export const sendPieces: SendPieces = nativeSendPieces ?? twinSendPieces

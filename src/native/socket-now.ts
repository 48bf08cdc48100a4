// What arrived at sockets, without waiting and without the event loop. Used by: net/, while a script runs on and on.

import { addon } from './addon.js'

/** Receives into `bytes`; returns how many, 0 at the end of the stream, or -errno (-EAGAIN, -11: nothing is there). */
export type ReceiveNow = (fd: number, bytes: Uint8Array) => number
/** Returns the descriptor of a new connection, or -errno (-EAGAIN, -11: nobody waits). */
export type AcceptNow = (fd: number) => number

const EAGAIN = 11

/** Node has no way to do this. Without the addon there are no scripts, and nobody asks. */
export const twinReceiveNow: ReceiveNow = () => -EAGAIN
export const twinAcceptNow: AcceptNow = () => -EAGAIN

export const receiveNow: ReceiveNow = addon?.receiveNow ?? twinReceiveNow
export const acceptNow: AcceptNow = addon?.acceptNow ?? twinAcceptNow

// Loads native/build/Release/millrace.node; nobody else loads a .node file. Used by: the typed doors beside this file,
// each of which has a twin in TypeScript for machines where the addon could not be built. MILLRACE_ADDON=Debug loads
// what `npm run build:debug` builds.

import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { BusErrorAddon } from './bus-error.js'
import type { HeapShareAddon } from './heap-share.js'
import type { HeapTrimAddon } from './heap-trim.js'
import type { LuaAddon } from './lua.js'
import type { PageItemsAddon } from './page-items.js'
import type { ReactorAddon } from './reactor.js'
import type { TurnMeterAddon } from './turn-meter.js'

/** What native/src/addon.cc exports. Arguments are checked by the doors, not here. */
export interface Addon
  extends BusErrorAddon, HeapShareAddon, HeapTrimAddon, LuaAddon, PageItemsAddon, ReactorAddon, TurnMeterAddon {
  crc32c(bytes: Uint8Array, from: number, to: number): number
  writeRecords(fd: number, bytes: Uint8Array, length: number, offset: number): number
  /** Not in builds of before they were thought of. */
  canMap?(bytes: number): boolean
  reserveRoom?(fd: number, offset: number, bytes: number): number
  sendPieces(fd: number, pieces: readonly Uint8Array[]): number
  sendPiece(fd: number, piece: Uint8Array): number
  shutDown(fd: number): number
  receiveNow(fd: number, bytes: Uint8Array): number
  acceptNow(fd: number): number
  lockFile(fd: number): number
  exchange(host: Buffer, port: number, timeoutMs: number, request: Buffer, lines: number): Buffer
}

function load(): Addon | undefined {
  // The same path from src/native/ and from dist/native/.
  const build = process.env.MILLRACE_ADDON === 'Debug' ? 'Debug' : 'Release'
  const path = fileURLToPath(new URL(`../../native/build/${build}/millrace.node`, import.meta.url))
  try {
    return createRequire(import.meta.url)(path) as Addon
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    process.emitWarning(
      `The native addon is missing, slower TypeScript is used instead; run "npm install". (${reason})`,
    )
    return undefined
  }
}

/** The addon, or undefined (after one warning) when it cannot be loaded. */
export const addon: Addon | undefined = load()

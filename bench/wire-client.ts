// A RESP client for loads that redis-benchmark cannot make: sends ready-made bytes and counts whole replies, without
// building values.

import { once } from 'node:events'
import net from 'node:net'
import type { Histogram } from 'hdr-histogram-js'

const CR = 13

/** Where all load of this process goes: one process measures one server. */
export const target = { host: '127.0.0.1' }

/** End offset of the reply that starts at `at`, or -1 when it is not all there. */
export function replyEnd(bytes: Buffer, at: number): number {
  let left = 1
  while (left > 0) {
    const eol = bytes.indexOf(CR, at)
    if (eol < 0 || eol + 1 >= bytes.length) return -1
    const type = bytes[at]
    let n = 0
    let negative = false
    if (type === 36 || type === 42) {
      for (let i = at + 1; i < eol; i++) {
        if (bytes[i] === 45) negative = true
        else n = n * 10 + bytes[i] - 48
      }
    }
    at = eol + 2
    left--
    if (negative) continue
    if (type === 36) at += n + 2
    if (type === 42) left += n
    if (at > bytes.length) return -1
  }
  return at
}

export function encode(...args: (string | number)[]): Buffer {
  return Buffer.from(`*${args.length}\r\n` + args.map(a => `$${Buffer.byteLength(String(a))}\r\n${a}\r\n`).join(''))
}

export class WireClient {
  #socket: net.Socket
  #pending: Buffer = Buffer.alloc(0)
  #owed = 0
  #done: (() => void) | undefined
  /** First error reply seen; a benchmark that errs measures nothing. */
  fault: string | undefined
  /** Takes how long each send() took, in microseconds. */
  latencies: Histogram | undefined
  /** The bytes of the last whole reply. */
  last: Buffer = Buffer.alloc(0)

  private constructor(socket: net.Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', chunk => this.#take(chunk))
  }

  static async connect(port: number): Promise<WireClient> {
    const socket = net.connect(port, target.host)
    await once(socket, 'connect')
    return new WireClient(socket)
  }

  /** Sends `commands` commands in one piece and resolves when as many replies have come. */
  async send(bytes: Buffer, commands: number): Promise<void> {
    this.#owed += commands
    const all = new Promise<void>(resolve => (this.#done = resolve))
    const began = performance.now()
    this.#socket.write(bytes)
    await all
    this.latencies?.recordValue(Math.max(1, Math.round((performance.now() - began) * 1000)))
    if (this.fault !== undefined) throw new Error(`the server answered: ${this.fault}`)
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    const bytes = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk
    let at = 0
    while (at < bytes.length) {
      const end = replyEnd(bytes, at)
      if (end < 0) break
      if (bytes[at] === 45) this.fault ??= bytes.toString('latin1', at + 1, end - 2)
      this.last = bytes.subarray(at, end)
      at = end
      this.#owed--
    }
    this.#pending = bytes.subarray(at)
    if (this.#owed === 0) this.#done?.()
  }
}

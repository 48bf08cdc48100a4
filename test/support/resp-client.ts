// A raw RESP client for tests: sends bytes or commands and returns the exact bytes of each reply, unparsed, so that
// replies of two servers can be compared to the byte. Reads RESP2 and RESP3.

import { connect, type Socket } from 'node:net'

export interface ConnectOptions {
  readonly host?: string
  /** A Unix socket's path; then the port is ignored. */
  readonly path?: string
}

export class RespClient {
  #received: Buffer = EMPTY
  /**
   * Room that #received is a part of; grows by doubling, so that large replies do not cost the square of their length.
   */
  #room: Buffer = EMPTY
  /** Where #received begins in #room. */
  #at = 0
  #ended = false
  #waiting: { resolve(reply: Buffer): void; reject(error: Error): void }[] = []
  #closeWaiting: (() => void)[] = []

  private constructor(readonly socket: Socket) {
    socket.on('data', bytes => {
      this.#append(bytes)
      this.#serve()
    })
    socket.on('error', () => undefined) // 'close' follows and tells the waiting
    socket.on('end', () => this.#end())
    socket.on('close', () => this.#end())
  }

  static connect(port: number, options: ConnectOptions = {}): Promise<RespClient> {
    return new Promise((resolve, reject) => {
      const socket = options.path ? connect(options.path) : connect(port, options.host ?? '127.0.0.1')
      socket.setNoDelay(true)
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.removeListener('error', reject)
        resolve(new RespClient(socket))
      })
    })
  }

  /** Sends bytes as they are; strings are latin1. */
  send(bytes: Buffer | string): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  /** The exact bytes of the next complete reply. Rejects when the connection ends first. */
  reply(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#serve()
    })
  }

  /** Sends one command and returns its reply's exact bytes. */
  command(...args: readonly (Buffer | string | number)[]): Promise<Buffer> {
    this.send(encodeCommand(args))
    return this.reply()
  }

  /** As command(), as latin1 text. */
  async text(...args: readonly (Buffer | string | number)[]): Promise<string> {
    return (await this.command(...args)).toString('latin1')
  }

  /** Resolves when the server has ended the connection, with everything received and not yet asked for. */
  async closed(): Promise<Buffer> {
    if (!this.#ended) await new Promise<void>(resolve => this.#closeWaiting.push(resolve))
    return this.#received
  }

  get ended(): boolean {
    return this.#ended
  }

  close(): void {
    this.socket.destroy()
  }

  #append(bytes: Buffer): void {
    const kept = this.#received.length
    if (kept === 0 || this.#at + kept + bytes.length > this.#room.length) {
      const room = Buffer.allocUnsafeSlow(2 * (kept + bytes.length))
      this.#received.copy(room)
      this.#room = room
      this.#at = 0
    }
    bytes.copy(this.#room, this.#at + kept)
    this.#received = this.#room.subarray(this.#at, this.#at + kept + bytes.length)
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const end = replyEnd(this.#received, 0)
      if (end < 0) break
      const reply = Buffer.from(this.#received.subarray(0, end))
      this.#received = this.#received.subarray(end)
      this.#at += end
      this.#waiting.shift()!.resolve(reply)
    }
    if (this.#ended) for (const { reject } of this.#waiting.splice(0)) reject(new Error('connection closed'))
  }

  #end(): void {
    this.#ended = true
    this.#serve()
    for (const resolve of this.#closeWaiting.splice(0)) resolve()
  }
}

/** A command as a RESP array; strings are latin1. */
export function encodeCommand(args: readonly (Buffer | string | number)[]): Buffer {
  const pieces: Buffer[] = [Buffer.from(`*${args.length}\r\n`)]
  for (const arg of args) {
    const bytes = Buffer.isBuffer(arg) ? arg : Buffer.from(String(arg), 'latin1')
    pieces.push(Buffer.from(`$${bytes.length}\r\n`), bytes, CRLF)
  }
  return Buffer.concat(pieces)
}

/** Where the reply (RESP2 or RESP3) that starts at `at` ends, or -1 when it is not complete. */
export function replyEnd(bytes: Buffer, at: number): number {
  let open = 1
  while (open > 0) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return -1
    const kind = String.fromCharCode(bytes[at])
    const length = Number(bytes.toString('latin1', at + 1, line))
    at = line + 2
    open--
    if ('$=!'.includes(kind)) {
      if (length >= 0) at += length + 2
      if (at > bytes.length) return -1
    } else if ('*~>'.includes(kind)) open += Math.max(length, 0)
    else if (kind === '%') open += length * 2
    else if (kind === '|')
      open += length * 2 + 1 // an attribute comes before the value it belongs to
    else if (!'+-:_,#('.includes(kind)) throw new Error(`not RESP: ${bytes.toString('latin1', at, at + 40)}`)
  }
  return at
}

const CRLF = Buffer.from('\r\n')
const EMPTY = Buffer.alloc(0)

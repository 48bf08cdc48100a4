// A client that reads when it is told to: for replies that are sent as they are taken.

import { connect, type Socket } from 'node:net'
import type { Teardown } from './temp-dir.js'

/** Bytes that no test stores. */
const MARK = 'the end of a reply, marked for the reader'

export class SlowReader {
  #chunks: Buffer[] = []
  #bytes = 0
  closed = false

  private constructor(readonly socket: Socket) {
    socket.pause()
    socket.on('data', chunk => {
      this.#chunks.push(chunk)
      this.#bytes += chunk.length
    })
    socket.on('close', () => (this.closed = true))
    socket.on('error', () => undefined)
  }

  /** @param place a port of this machine, or the path of a Unix socket */
  static async over(t: Teardown, place: number | string): Promise<SlowReader> {
    const socket = typeof place === 'number' ? connect(place, '127.0.0.1') : connect(place)
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    t.teardown(() => void socket.destroy())
    return new SlowReader(socket)
  }

  send(...words: string[]): void {
    this.socket.write(`*${words.length}\r\n${words.map(word => `$${word.length}\r\n${word}\r\n`).join('')}`, 'latin1')
  }

  /** The next `bytes` as latin1 text, or what came before the connection ended. */
  async read(bytes: number): Promise<string> {
    this.socket.resume()
    while (this.#bytes < bytes && !this.closed) await new Promise(resolve => setTimeout(resolve, 1))
    this.socket.pause()
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all.subarray(bytes)]
    this.#bytes = Math.max(all.length - bytes, 0)
    return all.latin1Slice(0, Math.min(bytes, all.length))
  }

  /** Sends a command and takes its whole reply, of whatever length, quickly. Nothing else may be on its way. */
  async ask(...words: string[]): Promise<string> {
    this.send(...words)
    this.send('ECHO', MARK)
    const mark = `$${MARK.length}\r\n${MARK}\r\n`
    this.socket.resume()
    for (;;) {
      const last = this.#chunks[this.#chunks.length - 1]
      if (last !== undefined && this.#bytes >= mark.length && this.#endsWith(mark)) break
      if (this.closed) throw new Error('the connection ended within a reply')
      await new Promise(resolve => setTimeout(resolve, 1))
    }
    return (await this.read(this.#bytes)).slice(0, -mark.length)
  }

  #endsWith(mark: string): boolean {
    let tail = ''
    for (let i = this.#chunks.length - 1; i >= 0 && tail.length < mark.length; i--) {
      tail = this.#chunks[i].latin1Slice(Math.max(this.#chunks[i].length - mark.length, 0)) + tail
    }
    return tail.endsWith(mark)
  }

  /** All that comes until the connection ends. */
  toEnd(): Promise<string> {
    return this.read(2 ** 31)
  }
}

/** Looks again and again until it is so; false when it never was within some seconds. */
export async function becomes(what: () => boolean): Promise<boolean> {
  for (let i = 0; i < 5000 && !what(); i++) await new Promise(resolve => setTimeout(resolve, 1))
  return what()
}

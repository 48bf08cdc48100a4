// Cursor over the arguments of a request, for parse(). Reads in order; every failure is a ReplyError with Redis' text.

import { ReplyError, replyErrors } from '../base/errors.js'
import { readInt64, readDouble } from '../base/numbers.js'
import type { Request } from '../resp/request.js'

/** The names of the keys that there are. */
export interface KeyNames {
  /** The latin1 string of bytes[from, from + length) when it is the name of a key. */
  nameOf(bytes: Buffer, from: number, length: number): string | undefined
}

export class Args {
  /** Index of the next argument. 1 after construction: the command's name is not an argument (2 for a subcommand). */
  at: number
  /** @param names where the strings of keys may be had without making them */
  constructor(
    readonly request: Request,
    at = 1,
    readonly names?: KeyNames,
  ) {
    this.at = at
  }

  get remaining(): number {
    return this.request.argc - this.at
  }

  /** The next argument as a key: a latin1 string, one character per byte. */
  key(): string {
    this.#need()
    const i = this.at++
    const { request } = this
    return this.names?.nameOf(request.buffer, request.starts[i], request.lengths[i]) ?? request.text(i)
  }

  /** The next argument as a latin1 string. */
  text(): string {
    this.#need()
    return this.request.text(this.at++)
  }

  /** All arguments that are left, as latin1 strings. */
  texts(): string[] {
    // An array that grows begins with room for seventeen, and one is what most commands bring.
    if (this.remaining === 1) return [this.text()]
    const found: string[] = []
    while (this.remaining > 0) found.push(this.text())
    return found
  }

  /** The next argument, copied. */
  bytes(): Buffer {
    this.#need()
    return this.request.copy(this.at++)
  }

  /** Takes the next argument if it is `word` (upper case) in any case. */
  take(word: string): boolean {
    if (this.at >= this.request.argc || !this.request.is(this.at, word)) return false
    this.at++
    return true
  }

  /** True when the next argument is `word`; does not take it. */
  peekIs(word: string): boolean {
    return this.at < this.request.argc && this.request.is(this.at, word)
  }

  /** A signed 64-bit integer; beyond 2^53 a bigint. */
  int64(error: string = replyErrors.notAnInteger): number | bigint {
    this.#need()
    const i = this.at++
    const value = readInt64(
      this.request.buffer,
      this.request.starts[i],
      this.request.starts[i] + this.request.lengths[i],
    )
    if (value === undefined) throw new ReplyError(error)
    return value
  }

  /** A signed 64-bit integer as a number: values beyond 2^53 lose low bits, which no count or duration needs. */
  integer(error: string = replyErrors.notAnInteger): number {
    return Number(this.int64(error))
  }

  double(error: string = replyErrors.notAFloat): number {
    this.#need()
    const i = this.at++
    const value = readDouble(
      this.request.buffer,
      this.request.starts[i],
      this.request.starts[i] + this.request.lengths[i],
    )
    if (value === undefined) throw new ReplyError(error)
    return value
  }

  /** Throws a syntax error when arguments are left. */
  end(): void {
    if (this.remaining > 0) throw new ReplyError(replyErrors.syntax)
  }

  #need(): void {
    if (this.at >= this.request.argc) throw new ReplyError(replyErrors.syntax)
  }
}

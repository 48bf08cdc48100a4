// A request with arguments that were received in pieces. Independent of the connection's buffer: `buffer` has the other
// arguments only, and is no complete command. Commands that do not know it use whole(). Made by: request-parser, the
// replay.

import { allocate } from '../base/allocation.js'
import { assert } from '../base/assert.js'
import type { LargeArgument } from './large-argument.js'
import { decimalDigits, Request } from './request.js'

export class LargeRequest extends Request {
  override readonly large: ReadonlyMap<number, LargeArgument>

  /**
   * @param small what is in its buffer is copied; arguments in pieces are empty there
   * @param large arguments in pieces, by index
   */
  constructor(small: Request, large: ReadonlyMap<number, LargeArgument>) {
    super()
    this.large = large
    this.buffer = Buffer.from(small.buffer.subarray(small.from, small.to))
    this.to = this.buffer.length
    this.argc = small.argc
    for (let i = 0; i < small.argc; i++) {
      this.starts.push(small.starts[i] - small.from)
      this.lengths.push(large.get(i)?.length ?? small.lengths[i])
    }
  }

  /** @throws ReplyError when there is no memory for one in pieces */
  override bytes(i: number): Buffer {
    return this.large.get(i)?.whole() ?? super.bytes(i)
  }

  override text(i: number): string {
    return this.large.has(i) ? this.bytes(i).latin1Slice() : super.text(i)
  }

  override headerOf(): number {
    assert(false, 'a request in pieces is not spliced')
  }

  /** It is its own. */
  override detach(): Request {
    return this
  }

  /** The same command in one buffer. @throws ReplyError when there is no memory */
  whole(): Request {
    const request = new Request()
    let bytes = 3 + decimalDigits(this.argc)
    for (let i = 0; i < this.argc; i++) bytes += 5 + decimalDigits(this.lengths[i]) + this.lengths[i]
    const buffer = allocate(bytes)
    let at = buffer.latin1Write(`*${this.argc}\r\n`, 0)
    for (let i = 0; i < this.argc; i++) {
      at += buffer.latin1Write(`$${this.lengths[i]}\r\n`, at)
      request.starts.push(at)
      request.lengths.push(this.lengths[i])
      for (const piece of this.large.get(i)?.pieces ?? [super.bytes(i)]) {
        buffer.set(piece, at)
        at += piece.length
      }
      at += buffer.latin1Write('\r\n', at)
    }
    assert(at === bytes, 'the command is as long as was reckoned')
    request.buffer = buffer
    request.to = bytes
    request.argc = this.argc
    return request
  }
}

// A command that stands inside another one: COMMAND GETKEYS GET k, ACL DRYRUN user GET k.

import { Request } from '../resp/request.js'

/** The arguments of `outer` from `from` on, as a request of its own; it lives as long as `outer`. */
export function innerRequest(outer: Request, from: number): Request {
  const request = new Request()
  request.buffer = outer.buffer
  request.from = outer.from
  request.to = outer.to
  request.argc = outer.argc - from
  for (let i = from; i < outer.argc; i++) {
    request.starts.push(outer.starts[i])
    request.lengths.push(outer.lengths[i])
  }
  return request
}

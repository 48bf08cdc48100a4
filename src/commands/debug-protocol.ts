// DEBUG PROTOCOL: one reply of each kind, for tests of client libraries.

import { ReplyError } from '../base/errors.js'
import type { Reply } from '../resp/reply.js'

const KINDS: Record<string, (reply: Reply) => void> = {
  string: reply => reply.latin1('Hello World'),
  integer: reply => reply.integer(12345),
  double: reply => reply.double(3.141),
  bignum: reply => reply.bigNumber(1234567999999999999999999999999999999n),
  null: reply => reply.nullBulk(),
  array(reply) {
    reply.array(3)
    for (let i = 0; i < 3; i++) reply.integer(i)
  },
  set(reply) {
    reply.set(3)
    for (let i = 0; i < 3; i++) reply.integer(i)
  },
  map(reply) {
    reply.map(3)
    for (let i = 0; i < 3; i++) {
      reply.integer(i)
      reply.boolean(i === 1)
    }
  },
  attrib(reply) {
    if (reply.protocol > 2) {
      reply.attribute(1)
      reply.latin1('key-popularity')
      reply.array(2)
      reply.latin1('key:123')
      reply.integer(90)
    }
    reply.latin1('Some real reply following the attribute')
  },
  push(reply) {
    if (reply.protocol < 3) throw new ReplyError('ERR RESP2 is not supported by this command')
    reply.push(2)
    reply.latin1('server-cpu-usage')
    reply.integer(42)
    reply.latin1('Some real reply following the push reply')
  },
  verbatim: reply => reply.verbatim('txt', 'This is a verbatim\nstring'),
  true: reply => reply.boolean(true),
  false: reply => reply.boolean(false),
}

export function writeSample(reply: Reply, kind: string): void {
  const write = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  if (write === undefined) {
    throw new ReplyError(
      'ERR Wrong protocol type name. Please use one of the following: ' +
        'string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false',
    )
  }
  write(reply)
}

// A client's place in its mailbox, handed out as a signed token. Used by: resolve-cursor, mailbox-reader.
//
// offset  size  field
//      0     1  version, 1
//      1     4  shard, big-endian
//      5     2  shard_epoch: the epoch the token was made for
//      7     8  last_applied_mailbox_seq
//     15    32  HMAC-SHA-256 over a label, the user and bytes 0..14
// As text base64url without padding. The user is signed but not carried: another user's token is a forgery.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { BadToken, Malformed } from './mailbox-error.js'
import { seqOf } from './mailbox-seq.js'
import type { MailboxSeq } from './mailbox-seq.js'

export interface Cursor {
  readonly shard: number
  readonly shardEpoch: number
  /** May be of an older epoch than shardEpoch while that is still being read. */
  readonly lastApplied: MailboxSeq
}

const VERSION = 1
const AT = { VERSION: 0, SHARD: 1, EPOCH: 5, SEQ: 7, MAC: 15 } as const
const TOKEN_BYTES = 47
const KEY_BYTES_MIN = 16
const LABEL = 'millrace mailbox cursor\0'

export class CursorSigner {
  readonly #keys: readonly Buffer[]

  /** The first key signs, all of them verify: so keys are rotated. At least 16 bytes each. */
  constructor(keys: readonly Buffer[]) {
    if (keys.length === 0 || keys.some(key => key.length < KEY_BYTES_MIN)) {
      throw new Malformed(`tokens need a key of at least ${KEY_BYTES_MIN} bytes`)
    }
    this.#keys = keys
  }

  sign(user: string, cursor: Cursor): string {
    const bytes = Buffer.alloc(TOKEN_BYTES)
    bytes[AT.VERSION] = VERSION
    bytes.writeUInt32BE(cursor.shard, AT.SHARD)
    bytes.writeUInt16BE(cursor.shardEpoch, AT.EPOCH)
    bytes.writeBigUInt64BE(cursor.lastApplied, AT.SEQ)
    macOf(this.#keys[0], user, bytes).copy(bytes, AT.MAC)
    return bytes.toString('base64url')
  }

  /** @throws BadToken when it is forged, cut, lengthened, of another version, another user or signed elsewhere */
  verify(user: string, token: string): Cursor {
    const bytes = Buffer.from(token, 'base64url')
    // One token has one spelling: decoders forgive padding, other alphabets and stray bits.
    if (bytes.length !== TOKEN_BYTES || bytes.toString('base64url') !== token) {
      throw new BadToken('the token is not a cursor of this service')
    }
    const mac = bytes.subarray(AT.MAC)
    if (!this.#keys.some(key => timingSafeEqual(macOf(key, user, bytes), mac))) {
      throw new BadToken('the token was not signed here for this user')
    }
    if (bytes[AT.VERSION] !== VERSION) throw new BadToken(`the token has version ${bytes[AT.VERSION]}, not ${VERSION}`)
    return {
      shard: bytes.readUInt32BE(AT.SHARD),
      shardEpoch: bytes.readUInt16BE(AT.EPOCH),
      lastApplied: seqOf(bytes.readBigUInt64BE(AT.SEQ)),
    }
  }
}

function macOf(key: Buffer, user: string, bytes: Buffer): Buffer {
  const name = Buffer.from(user)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(name.length)
  return createHmac('sha256', key).update(LABEL).update(length).update(name).update(bytes.subarray(0, AT.MAC)).digest()
}

// The names of all keys of a shard. Used by: the stores and registries on a server, convert-watermarks.
// All carry the hash tag {shard}, so that a script finds them on one node of a cluster; the user comes last and may be
// any text. Drawn in docs/format/mailbox.md.

import { Malformed } from './mailbox-error.js'

export const SHARD_MAX = 2 ** 32 - 1

export class MailboxKeys {
  constructor(readonly prefix = '') {}

  watermarks(shard: number): string {
    return `${this.prefix}wm:${tag(shard)}`
  }
  registry(shard: number): string {
    return `${this.prefix}mbregistry:${tag(shard)}`
  }
  boundaries(shard: number): string {
    return `${this.prefix}mbboundaries:${tag(shard)}`
  }
  splits(shard: number): string {
    return `${this.prefix}mbsplits:${tag(shard)}`
  }
  dispatches(shard: number): string {
    return `${this.prefix}mbdispatches:${tag(shard)}`
  }
  earlierDispatches(shard: number): string {
    return `${this.prefix}mbdispatches-earlier:${tag(shard)}`
  }
  meta(shard: number, epoch: number, user: string): string {
    return `${this.prefix}mbmeta:${tag(shard)}:${epoch}:${user}`
  }
  days(shard: number, epoch: number, user: string): string {
    return `${this.prefix}mbdays:${tag(shard)}:${epoch}:${user}`
  }
  index(shard: number, epoch: number, user: string): string {
    return `${this.prefix}mbseqbucket:${tag(shard)}:${epoch}:${user}`
  }
  /** What stands before and behind the day in the name of a bucket. */
  bucketParts(shard: number, epoch: number, user: string): readonly [string, string] {
    return [`${this.prefix}mbday:${tag(shard)}:${epoch}:`, `:${user}`]
  }
  bucket(shard: number, epoch: number, day: number, user: string): string {
    const [before, behind] = this.bucketParts(shard, epoch, user)
    return `${before}${day}${behind}`
  }
  stream(shard: number, epoch: number, user: string): string {
    return `${this.prefix}mbstream:${tag(shard)}:${epoch}:${user}`
  }
}

function tag(shard: number): string {
  if (!Number.isSafeInteger(shard) || shard < 0 || shard > SHARD_MAX) {
    throw new Malformed(`shard ${shard} is not a whole number from 0 to ${SHARD_MAX}`)
  }
  return `{${shard}}`
}

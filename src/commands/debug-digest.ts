// DEBUG DIGEST and DIGEST-VALUE: one number for the content of everything, or of a key; equal content, equal number.
// Not the numbers of Redis: they compare two states of ours, as before and after a restart.

import { createHash } from 'node:crypto'
import { ReplyError } from '../base/errors.js'
import type { KeyValue } from '../types/key-value.js'
import type { Database, KeyEntry, Keyspace } from '../types/keyspace.js'

const DIGEST_BYTES = 20

/** 40 hexadecimal digits; all zero for no key at all. The order of keys does not matter: digests are xored. */
export function digestOfAll(keyspace: Keyspace): string {
  const sum = Buffer.alloc(DIGEST_BYTES)
  for (const db of keyspace.databases) {
    for (const entry of db.keys()) {
      const hash = createHash('sha1')
      hash.update(`${db.index} ${entry.name.length} `).update(entry.name, 'latin1')
      hash.update(digestOfValue(entry))
      const digest = hash.digest()
      for (let i = 0; i < DIGEST_BYTES; i++) sum[i] ^= digest[i]
    }
  }
  return sum.toString('hex')
}

/** The digest of one key's value and of whether it expires; zeros when there is no such key. */
export function digestOfKey(db: Database, key: string): string {
  const entry = db.peek(key)
  return (entry === undefined ? Buffer.alloc(DIGEST_BYTES) : digestOfValue(entry)).toString('hex')
}

function digestOfValue(entry: KeyEntry): Buffer {
  const value: KeyValue = entry.value
  if (value.digest === undefined) throw new ReplyError(`ERR values of type ${value.type} have no digest`)
  const hash = createHash('sha1')
  hash.update(`${value.type} ${entry.expireAtMs > 0 ? 'expires' : 'stays'} `)
  // The lengths keep apart what other pieces would join to the same bytes.
  value.digest(bytes => void hash.update(`${bytes.length} `).update(bytes))
  return hash.digest()
}

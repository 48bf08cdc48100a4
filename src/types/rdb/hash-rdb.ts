// Hashes in Redis' dumps: a listpack of fields and values in turn (type 16) while small in Redis' eyes, else field by
// field (4). With expiries, as Redis 7.4 has them: the first of them, then field by field, each behind its distance to
// the first (24); read is the listpack with the times between, too (25).

import { HashValue } from '../hash/hash-value.js'
import { ListpackReader, ListpackWriter } from './listpack.js'
import { ownContent } from './own-content.js'
import { PayloadError } from './payload-error.js'
import type { RdbReader } from './rdb-reader.js'
import type { RdbWriter } from './rdb-writer.js'
import type { ValueCodec } from './value-codec.js'

const HASH = 4
const LISTPACK = 16
const EXPIRING = 24
const EXPIRING_LISTPACK = 25
/** The first version of RDB that has them. */
const EXPIRING_VERSION = 12
/** Redis keeps times of fields in 48 bits. */
const EXPIRE_AT_MS_MAX = 2 ** 48 - 1

/** A field and a value take this at least. */
const PAIR_BYTES_MIN = 2
/** What a field takes beside its bytes and those of its value, about. */
const FIELD_BYTES = 96

export const hashCodec: ValueCodec = {
  type: 'hash',
  codes: [HASH, LISTPACK, EXPIRING, EXPIRING_LISTPACK],

  write(writer, value) {
    const hash = value as HashValue
    if (hash.soonestExpiryMs !== 0) return writeExpiring(writer, hash)
    if (hash.encoding !== 'hashtable') return writeListpack(writer, hash)
    writer.u8(HASH)
    writer.length(hash.count)
    hash.each((field, content) => {
      writer.text(field)
      if (typeof content === 'string') writer.text(content)
      else writer.string(content)
    })
  },

  read(reader, code, rows, packing) {
    const hash = HashValue.create(rows)
    const set = (field: string, value: string | Buffer, expireAtMs = 0) => {
      reader.spend(field.length + value.length + FIELD_BYTES)
      if (!hash.set(field, value, packing.listpack)) throw new PayloadError('hash with a field twice')
      if (expireAtMs < 0 || expireAtMs > EXPIRE_AT_MS_MAX) throw new PayloadError('field with an impossible expiry')
      if (expireAtMs !== 0) hash.setExpiry(field, expireAtMs)
    }
    try {
      if (code === LISTPACK) readListpack(reader.string(), set)
      else if (code === EXPIRING) readExpiring(reader, set)
      else if (code === EXPIRING_LISTPACK) readExpiringListpack(reader, set)
      else
        for (let rest = reader.count(PAIR_BYTES_MIN); rest > 0; rest--) set(reader.text(), ownContent(reader.string()))
      if (hash.count === 0) throw new PayloadError('empty hash')
    } catch (error) {
      hash.drop()
      throw error
    }
    return hash
  },
}

function writeListpack(writer: RdbWriter, hash: HashValue): void {
  const listpack = new ListpackWriter()
  hash.each((field, content) => {
    listpack.bytes(Buffer.from(field, 'latin1'), 0, field.length)
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
    listpack.bytes(bytes, 0, bytes.length)
  })
  writer.u8(LISTPACK)
  writer.string(listpack.done())
}

function readListpack(bytes: Buffer, set: (field: string, value: string | Buffer) => void): void {
  const listpack = new ListpackReader(bytes)
  while (!listpack.atEnd) set(listpack.text(), listpack.content())
  listpack.end()
}

type SetField = (field: string, value: string | Buffer, expireAtMs?: number) => void

function writeExpiring(writer: RdbWriter, hash: HashValue): void {
  const soonestMs = hash.soonestExpiryMs
  writer.needsVersion(EXPIRING_VERSION)
  writer.u8(EXPIRING)
  writer.int64(soonestMs)
  writer.length(hash.count)
  hash.each((field, content) => {
    const expireAtMs = hash.expiryOf(field)
    // 0 is none, so that 1 is the first.
    writer.length(expireAtMs === 0 ? 0 : expireAtMs - soonestMs + 1)
    writer.text(field)
    if (typeof content === 'string') writer.text(content)
    else writer.string(content)
  })
}

function readExpiring(reader: RdbReader, set: SetField): void {
  const soonestMs = reader.int64()
  for (let rest = reader.count(PAIR_BYTES_MIN + 1); rest > 0; rest--) {
    const distance = reader.length()
    const field = reader.text()
    set(field, ownContent(reader.string()), distance === 0 ? 0 : soonestMs + distance - 1)
  }
}

function readExpiringListpack(reader: RdbReader, set: SetField): void {
  reader.int64() // the first expiry, which follows from the others
  const listpack = new ListpackReader(reader.string())
  while (!listpack.atEnd) {
    const field = listpack.text()
    const value = listpack.content()
    set(field, value, Number(listpack.signed()))
  }
  listpack.end()
}

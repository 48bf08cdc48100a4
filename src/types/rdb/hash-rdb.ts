// Hashes in Redis' dumps: a listpack of fields and values in turn (type 16) while small in Redis' eyes, else field by
// field (4).

import { HashValue } from '../hash/hash-value.js'
import { ListpackReader, ListpackWriter } from './listpack.js'
import { ownContent } from './own-content.js'
import { PayloadError } from './payload-error.js'
import type { RdbWriter } from './rdb-writer.js'
import type { ValueCodec } from './value-codec.js'

const HASH = 4
const LISTPACK = 16

/** A field and a value take this at least. */
const PAIR_BYTES_MIN = 2
/** What a field takes beside its bytes and those of its value, about. */
const FIELD_BYTES = 96

export const hashCodec: ValueCodec = {
  type: 'hash',
  codes: [HASH, LISTPACK],

  write(writer, value) {
    const hash = value as HashValue
    if (hash.encoding === 'listpack') return writeListpack(writer, hash)
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
    const set = (field: string, value: string | Buffer) => {
      reader.spend(field.length + value.length + FIELD_BYTES)
      if (!hash.set(field, value, packing.listpack)) throw new PayloadError('hash with a field twice')
    }
    try {
      if (code === LISTPACK) readListpack(reader.string(), set)
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

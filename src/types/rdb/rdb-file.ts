// All data as an RDB file, the form in which Redis keeps and sends a whole data set: version 10, without compression.
// In: a keyspace; out: one buffer. Keys whose time has come are left out. Used by: commands/sync. Uses: dump-payload.

import type { Keyspace } from '../keyspace.js'
import { CRC64_BYTES, putCrc64 } from './crc64.js'
import { writeKey } from './dump-payload.js'
import { RdbWriter } from './rdb-writer.js'

const MAGIC = Buffer.from('REDIS0010')

const enum Opcode {
  Function = 0xf5,
  ExpireMs = 0xfc,
  Database = 0xfe,
  End = 0xff,
}

/** @throws ReplyError when it would be longer than `bytesMax`, which bounds the memory it takes */
export function rdbFileOf(keyspace: Keyspace, bytesMax: number): Buffer {
  const writer = new RdbWriter(bytesMax)
  writer.raw(MAGIC)
  for (const code of keyspace.libraries.codes.values()) {
    writer.u8(Opcode.Function)
    writer.string(code)
  }
  for (const db of keyspace.databases) {
    if (db.size === 0) continue
    writer.u8(Opcode.Database)
    writer.length(db.index)
    for (const entry of db.keys()) {
      if (entry.expireAtMs !== 0) {
        writer.u8(Opcode.ExpireMs)
        writer.int64(Math.floor(entry.expireAtMs))
      }
      writeKey(writer, entry.name, entry.value)
    }
  }
  writer.u8(Opcode.End)
  writer.raw(Buffer.alloc(CRC64_BYTES))
  const file = writer.done()
  const end = file.length - CRC64_BYTES
  putCrc64(file, end, end)
  return file
}

// A dump: one value as DUMP gives it and RESTORE takes it, in Redis' RDB format. Values in, bytes out.
//
// type (1 byte), value, then a footer: RDB version (uint16) and the CRC-64 of everything before it, low bytes first.
// Written is what Redis 7.0 reads, version 10, unless the value needs a later one (fields that expire: 12, Redis 7.4;
// streams with idempotence: 13, 8.6, or with released entries: 14, 8.8); read is what Redis up to 8.8 writes.

import { ReplyError } from '../../base/errors.js'
import type { Rows } from '../../store/rows.js'
import type { KeyValue, TypeName } from '../key-value.js'
import { CRC64_BYTES, hasCrc64, putCrc64 } from './crc64.js'
import { hashCodec } from './hash-rdb.js'
import { listCodec } from './list-rdb.js'
import { PayloadError } from './payload-error.js'
import { RdbReader } from './rdb-reader.js'
import type { ReadLimits } from './rdb-reader.js'
import { RdbWriter } from './rdb-writer.js'
import { setCodec } from './set-rdb.js'
import { streamCodec } from './stream-rdb.js'
import { stringCodec } from './string-rdb.js'
import type { PackingLimits, ValueCodec } from './value-codec.js'
import { zsetCodec } from './zset-rdb.js'

const VERSION_READ_MAX = 14
const VERSION_BYTES = 2
const FOOTER_BYTES = VERSION_BYTES + CRC64_BYTES

const CODECS: readonly ValueCodec[] = [stringCodec, setCodec, hashCodec, listCodec, zsetCodec, streamCodec]
const BY_TYPE = new Map<TypeName, ValueCodec>(CODECS.map(codec => [codec.type, codec]))
const BY_CODE = new Map<number, ValueCodec>(CODECS.flatMap(codec => codec.codes.map(code => [code, codec] as const)))

/** @throws ReplyError when the dump would be longer than `bytesMax`, or the type has no form in dumps */
export function dumpOf(value: KeyValue, bytesMax: number): Buffer {
  return sealed(written(value, bytesMax))
}

/** Writes a key as it stands in an RDB file, its name between the type and the value. @throws ReplyError as dumpOf() */
export function writeKey(writer: RdbWriter, name: string, value: KeyValue): void {
  const bytes = written(value, writer.bytesMax).done()
  writer.u8(bytes[0])
  writer.text(name)
  writer.raw(bytes.subarray(1))
}

function written(value: KeyValue, bytesMax: number): RdbWriter {
  const codec = BY_TYPE.get(value.type)
  if (codec === undefined) throw new ReplyError(`ERR values of type ${value.type} cannot be dumped`)
  const writer = new RdbWriter(bytesMax)
  codec.write(writer, value)
  return writer
}

/** What was written, with the footer behind it. */
export function sealed(writer: RdbWriter): Buffer {
  writer.u16(writer.version)
  writer.raw(Buffer.alloc(CRC64_BYTES))
  const payload = writer.done()
  const end = payload.length - CRC64_BYTES
  putCrc64(payload, end, end)
  return payload
}

/** An intact payload without its footer; a view. */
export function unsealed(payload: Buffer): Buffer {
  return payload.subarray(0, payload.length - FOOTER_BYTES)
}

/** Whether the footer is of a version that is read here, and its checksum right. */
export function isIntact(payload: Buffer): boolean {
  if (payload.length < FOOTER_BYTES) return false
  if (payload.readUInt16LE(payload.length - FOOTER_BYTES) > VERSION_READ_MAX) return false
  const end = payload.length - CRC64_BYTES
  return hasCrc64(payload, end, end)
}

/**
 * The value of an intact payload, new and under no key. Nothing of the payload is kept.
 * @throws PayloadError when the bytes are no value; then nothing is left of it
 */
export function valueOf(payload: Buffer, rows: Rows, limits: ReadLimits, packing: PackingLimits): KeyValue {
  const reader = new RdbReader(unsealed(payload), limits)
  const code = reader.u8()
  const codec = BY_CODE.get(code)
  if (codec === undefined) throw new PayloadError(`unknown type ${code}`)
  const value = codec.read(reader, code, rows, packing)
  if (reader.remaining > 0) {
    value.drop()
    throw new PayloadError('bytes behind the value')
  }
  return value
}

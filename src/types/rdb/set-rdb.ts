// Sets in Redis' dumps. Written as the integers of an intset (type 11) or member by member (2); read also as a listpack
// (20, Redis 7.2).
//
// Intset, one string: bytes of an integer (2, 4 or 8), number of them (both uint32), ascending integers; low bytes
// first.

import { SetValue } from '../set/set-value.js'
import { ListpackReader } from './listpack.js'
import { PayloadError } from './payload-error.js'
import type { RdbWriter } from './rdb-writer.js'
import type { ValueCodec } from './value-codec.js'

const SET = 2
const INTSET = 11
const LISTPACK = 20

const INTSET_HEADER_BYTES = 8
/** What a member takes beside its bytes, about. */
const MEMBER_BYTES = 64

export const setCodec: ValueCodec = {
  type: 'set',
  codes: [SET, INTSET, LISTPACK],

  write(writer, value) {
    const set = value as SetValue
    if (set.encoding === 'intset') return writeIntset(writer, set)
    writer.u8(SET)
    writer.length(set.count)
    set.each(member => writer.text(member))
  },

  read(reader, code, rows, packing) {
    const set = SetValue.create(rows)
    const add = (member: string) => {
      reader.spend(member.length + MEMBER_BYTES)
      if (!set.add(member, packing.integersMax)) throw new PayloadError('set with a member twice')
    }
    try {
      if (code === INTSET) readIntset(reader.string(), add)
      else if (code === LISTPACK) readListpack(reader.string(), add)
      else for (let rest = reader.count(1); rest > 0; rest--) add(reader.text())
      if (set.count === 0) throw new PayloadError('empty set')
    } catch (error) {
      set.drop()
      throw error
    }
    return set
  },
}

function writeIntset(writer: RdbWriter, set: SetValue): void {
  const integers: bigint[] = []
  set.each(member => void integers.push(BigInt(member)))
  const ends = [integers[0], integers[integers.length - 1]]
  const width = [2, 4].find(bytes => ends.every(end => BigInt.asIntN(8 * bytes, end) === end)) ?? 8
  const bytes = Buffer.alloc(INTSET_HEADER_BYTES + width * integers.length)
  bytes.writeUInt32LE(width, 0)
  bytes.writeUInt32LE(integers.length, 4)
  let at = INTSET_HEADER_BYTES
  for (const integer of integers) {
    if (width === 8) bytes.writeBigInt64LE(integer, at)
    else bytes.writeIntLE(Number(integer), at, width)
    at += width
  }
  writer.u8(INTSET)
  writer.string(bytes)
}

function readIntset(bytes: Buffer, add: (member: string) => void): void {
  const width = bytes.length < INTSET_HEADER_BYTES ? 0 : bytes.readUInt32LE(0)
  if (width !== 2 && width !== 4 && width !== 8) throw new PayloadError('intset of no known width')
  if (bytes.length !== INTSET_HEADER_BYTES + width * bytes.readUInt32LE(4)) {
    throw new PayloadError('intset of another length than it says')
  }
  let before: bigint | undefined
  for (let at = INTSET_HEADER_BYTES; at < bytes.length; at += width) {
    const integer = width === 8 ? bytes.readBigInt64LE(at) : BigInt(bytes.readIntLE(at, width))
    if (before !== undefined && integer <= before) throw new PayloadError('intset out of order')
    before = integer
    add(String(integer))
  }
}

function readListpack(bytes: Buffer, add: (member: string) => void): void {
  const listpack = new ListpackReader(bytes)
  while (!listpack.atEnd) add(listpack.text())
  listpack.end()
}

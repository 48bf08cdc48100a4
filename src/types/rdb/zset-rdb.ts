// Sorted sets in Redis' dumps: a listpack of members and scores in turn, lowest first (type 17), while small in Redis'
// eyes, else members with scores as doubles of eight bytes, low byte first, highest first (5).

import { formatDouble, readDouble } from '../../base/numbers.js'
import { ZsetValue } from '../zset/zset-value.js'
import { ListpackReader, ListpackWriter } from './listpack.js'
import { PayloadError } from './payload-error.js'
import type { RdbReader } from './rdb-reader.js'
import type { RdbWriter } from './rdb-writer.js'
import type { ValueCodec } from './value-codec.js'

const ZSET_2 = 5
const LISTPACK = 17

const SCORE_BYTES = 8
/** What a member takes beside its bytes, about. */
const MEMBER_BYTES = 128

type Add = (member: string, score: number | undefined) => void

export const zsetCodec: ValueCodec = {
  type: 'zset',
  codes: [ZSET_2, LISTPACK],

  write(writer, value) {
    const zset = value as ZsetValue
    if (zset.encoding === 'listpack') return writeListpack(writer, zset)
    const score = Buffer.alloc(SCORE_BYTES)
    writer.u8(ZSET_2)
    writer.length(zset.count)
    zset.eachDown((member, value) => {
      writer.text(member)
      score.writeDoubleLE(value)
      writer.raw(score)
    })
  },

  read(reader, code, rows, packing) {
    const zset = ZsetValue.create(rows)
    const add: Add = (member, score) => {
      if (score === undefined || Number.isNaN(score)) throw new PayloadError('sorted set with a wrong score')
      if (zset.scoreOf(member) !== undefined) throw new PayloadError('sorted set with a member twice')
      reader.spend(member.length + MEMBER_BYTES)
      zset.set(member, score, undefined, packing.zset)
    }
    try {
      if (code === LISTPACK) readListpack(reader.string(), add)
      else readMembers(reader, add)
      if (zset.count === 0) throw new PayloadError('empty sorted set')
    } catch (error) {
      zset.drop()
      throw error
    }
    return zset
  },
}

function writeListpack(writer: RdbWriter, zset: ZsetValue): void {
  const listpack = new ListpackWriter()
  zset.each((member, score) => {
    listpack.bytes(Buffer.from(member, 'latin1'), 0, member.length)
    const text = Buffer.from(formatDouble(score), 'latin1')
    listpack.bytes(text, 0, text.length)
  })
  writer.u8(LISTPACK)
  writer.string(listpack.done())
}

function readListpack(bytes: Buffer, add: Add): void {
  const listpack = new ListpackReader(bytes)
  while (!listpack.atEnd) {
    const member = listpack.text()
    listpack.next()
    const { integer } = listpack
    add(member, integer === undefined ? readDouble(bytes, listpack.from, listpack.to) : Number(integer))
  }
  listpack.end()
}

function readMembers(reader: RdbReader, add: Add): void {
  for (let rest = reader.count(1 + SCORE_BYTES); rest > 0; rest--) {
    const member = reader.text()
    add(member, reader.raw(SCORE_BYTES).readDoubleLE())
  }
}

// Lists in Redis' dumps (type 18): nodes, each a container and a string. Container 2 is a listpack of elements, 1 an
// element by itself.

import { ListValue } from '../list/list-value.js'
import { ListpackReader, ListpackWriter } from './listpack.js'
import { PayloadError } from './payload-error.js'
import type { RdbWriter } from './rdb-writer.js'
import type { ValueCodec } from './value-codec.js'

const QUICKLIST_2 = 18
const PLAIN = 1
const PACKED = 2

const NODE_BYTES_MIN = 2
/** As large as Redis makes nodes by default; a longer element is a node by itself. */
const NODE_BYTES_MAX = 8192
/** What an element takes beside its bytes, about. */
const ELEMENT_BYTES = 16

export const listCodec: ValueCodec = {
  type: 'list',
  codes: [QUICKLIST_2],

  write(writer, value) {
    const list = value as ListValue
    writer.u8(QUICKLIST_2)
    const listpack = new ListpackWriter()
    let nodes = 0
    walkNodes(list, listpack, () => nodes++)
    writer.length(nodes)
    walkNodes(list, listpack, () => writeNode(writer, listpack))
  },

  read(reader, _code, rows) {
    const list = ListValue.create(rows)
    const push = (element: Buffer) => {
      reader.spend(element.length + ELEMENT_BYTES)
      list.pushLast(element)
    }
    try {
      for (let rest = reader.count(NODE_BYTES_MIN); rest > 0; rest--) {
        const container = reader.length()
        if (container === PLAIN) push(reader.string())
        else if (container === PACKED) readListpack(reader.string(), push)
        else throw new PayloadError('list with an unknown container')
      }
      if (list.count === 0) throw new PayloadError('empty list')
    } catch (error) {
      list.drop()
      throw error
    }
    return list
  },
}

/** Packs the elements node by node into `listpack` and calls `full` for each. Done twice: their number comes first. */
function walkNodes(list: ListValue, listpack: ListpackWriter, full: () => void): void {
  listpack.clear()
  list.visit(0, list.count, false, (page, from, to) => {
    for (let i = from; i < to; i++) {
      const element = page.at(i)
      if (!listpack.isEmpty && listpack.size + element.length > NODE_BYTES_MAX) {
        full()
        listpack.clear()
      }
      listpack.bytes(element, 0, element.length)
    }
    return false
  })
  if (!listpack.isEmpty) full()
}

function writeNode(writer: RdbWriter, listpack: ListpackWriter): void {
  writer.length(PACKED)
  writer.string(listpack.done())
}

function readListpack(bytes: Buffer, push: (element: Buffer) => void): void {
  const listpack = new ListpackReader(bytes)
  while (!listpack.atEnd) push(listpack.element())
  listpack.end()
}

// Strings in Redis' dumps: type 0, then one string.

import type { PiecedString } from '../string/pieced-string.js'
import { StringValue } from '../string/string-value.js'
import { ownContent } from './own-content.js'
import type { ValueCodec } from './value-codec.js'

const STRING = 0

export const stringCodec: ValueCodec = {
  type: 'string',
  codes: [STRING],

  write(writer, value) {
    const string = value as StringValue | PiecedString
    writer.u8(STRING)
    writer.string(string.bytes())
  },

  read(reader, _code, rows) {
    return StringValue.create(rows, ownContent(reader.string()))
  },
}

// Bytes of a payload as the content of a value.

import { TEXT_BYTES_MAX } from '../string/string-value.js'

/** A copy: a latin1 string when short, else a Buffer with memory of its own; a view would keep the whole payload. */
export function ownContent(bytes: Buffer): string | Buffer {
  if (bytes.length <= TEXT_BYTES_MAX) return bytes.latin1Slice()
  const content = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(content)
  return content
}

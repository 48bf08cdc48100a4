// Lengths in front of what they count: seven bits a byte, low bits first, the top bit set on all bytes but the last.
// Used by: item-page, element-page.

/** Bytes of a length of up to 2^32. */
export const LENGTH_BYTES_MAX = 5

/** Writes a length at `at`; returns the offset behind it. */
export function putLength(bytes: Uint8Array, at: number, length: number): number {
  let rest = length
  let to = at
  while (rest >= 128) {
    bytes[to++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  bytes[to++] = rest
  return to
}

export function lengthAt(bytes: Uint8Array, at: number): number {
  if (bytes[at] < 128) return bytes[at]
  let length = 0
  let scale = 1
  for (let i = at; ; i++, scale *= 128) {
    length += (bytes[i] & 127) * scale
    if (bytes[i] < 128) return length
  }
}

/** The offset behind the length at `at`. */
export function skipLength(bytes: Uint8Array, at: number): number {
  let to = at
  while (bytes[to] >= 128) to++
  return to + 1
}

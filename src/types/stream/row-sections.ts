// Shape shared by the rows of a stream (head, group, consumer): a fixed part, then sections of any length, each behind
// its length in 4 bytes, big-endian. Used by: stream-head, group-row, consumer.

import { CorruptionError } from '../../base/errors.js'

/** Joins `fixed` and `sections` into the value of a row. */
export function joinSections(fixed: Buffer, sections: readonly Buffer[]): Buffer {
  let bytes = fixed.length
  for (const section of sections) bytes += 4 + section.length
  const value = Buffer.allocUnsafe(bytes)
  fixed.copy(value)
  let at = fixed.length
  for (const section of sections) {
    at = value.writeUInt32BE(section.length, at)
    at += section.copy(value, at)
  }
  return value
}

/**
 * The `count` sections behind the first `fixedBytes` bytes of `value`, as views.
 * @throws CorruptionError naming `what` when lengths and value do not agree
 */
export function splitSections(value: Buffer, fixedBytes: number, count: number, what: string): Buffer[] {
  const sections: Buffer[] = []
  let at = fixedBytes
  for (let i = 0; i < count; i++) {
    if (at + 4 > value.length) throw new CorruptionError(`${what} ends within section ${i}`)
    const end = at + 4 + value.readUInt32BE(at)
    if (end > value.length) throw new CorruptionError(`${what} is shorter than its section ${i}`)
    sections.push(value.subarray(at + 4, end))
    at = end
  }
  if (at !== value.length) throw new CorruptionError(`${what} has ${value.length - at} bytes too many`)
  return sections
}

/**
 * The version `value` begins with, one of `fixedBytes`: the length of the fixed part, by version.
 * @throws CorruptionError naming `what` when it is none of those, or `value` is shorter
 */
export function versionOf(value: Buffer, fixedBytes: Readonly<Record<number, number>>, what: string): number {
  const version = value.length === 0 ? 0 : value[0]
  const bytes = fixedBytes[version]
  if (bytes === undefined) {
    const known = Object.keys(fixedBytes).join(' or ')
    throw new CorruptionError(`${what} has version ${version}, not ${known}`)
  }
  if (value.length < bytes) throw new CorruptionError(`${what} has only ${value.length} bytes`)
  return version
}

/** @throws CorruptionError naming `what` unless `value` has at least `bytes` bytes and begins with `version` */
export function checkVersion(value: Buffer, bytes: number, version: number, what: string): void {
  if (value.length < bytes) throw new CorruptionError(`${what} has only ${value.length} bytes`)
  if (value[0] !== version) throw new CorruptionError(`${what} has version ${value[0]}, not ${version}`)
}

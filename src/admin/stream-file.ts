// The file of one stream with its groups: sections with checksums, written and read one at a time, so that a stream of
// any size passes through little memory. docs/format/stream-file.md draws it. Used by: stream-dump, stream-load.

import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { CorruptionError, UsageError } from '../base/errors.js'
import { crc32c } from '../native/crc32c.js'
import { ByteReader } from '../pages/byte-reader.js'
import { ByteWriter } from '../pages/byte-writer.js'

export const STREAM_FILE_MAGIC = 'MILLSTRM'
export const STREAM_FILE_VERSION = 1
/** Kinds of sections, frozen. */
export const SECTION = {
  stream: 'S',
  deleted: 'D',
  entries: 'E',
  group: 'G',
  consumer: 'C',
  pending: 'P',
  end: 'Z',
} as const
export type SectionKind = (typeof SECTION)[keyof typeof SECTION]

const FILE_HEAD_BYTES = 12
const SECTION_HEAD_BYTES = 5
const CRC_BYTES = 4
const KINDS: ReadonlySet<string> = new Set(Object.values(SECTION))

export class StreamFileWriter {
  readonly #fd: number
  bytes = 0

  /** @param path must not exist. @throws UsageError */
  constructor(path: string) {
    try {
      this.#fd = openSync(path, 'wx', 0o640)
    } catch (error) {
      throw new UsageError(`The file ${path} cannot be made: ${(error as Error).message}.`)
    }
    const head = Buffer.alloc(FILE_HEAD_BYTES)
    head.latin1Write(STREAM_FILE_MAGIC)
    head.writeUInt32BE(STREAM_FILE_VERSION, STREAM_FILE_MAGIC.length)
    this.#write(head)
  }

  section(kind: SectionKind, fill: (writer: ByteWriter) => void): void {
    const writer = new ByteWriter(256)
    fill(writer)
    const body = writer.done()
    const bytes = Buffer.allocUnsafe(SECTION_HEAD_BYTES + body.length + CRC_BYTES)
    bytes.latin1Write(kind)
    bytes.writeUInt32BE(body.length, 1)
    body.copy(bytes, SECTION_HEAD_BYTES)
    const end = bytes.length - CRC_BYTES
    bytes.writeUInt32BE(crc32c(bytes, 0, end), end)
    this.#write(bytes)
  }

  #write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at)
    this.bytes += bytes.length
  }

  /** Brings it to the device. */
  close(): void {
    fsyncSync(this.#fd)
    closeSync(this.#fd)
  }

  /** Closes what was given up. */
  abandon(): void {
    closeSync(this.#fd)
  }
}

export interface Section {
  readonly kind: SectionKind
  readonly body: ByteReader
}

/** The sections of a file in order, the end included. @throws UsageError, CorruptionError: one sentence */
export function* readStreamFile(path: string): Generator<Section> {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    throw new UsageError(`The file ${path} cannot be read: ${(error as Error).message}.`)
  }
  try {
    checkHead(fd, path)
    const size = fstatSync(fd).size
    for (let at = FILE_HEAD_BYTES; ;) {
      const section = readSection(fd, at, size, path)
      at += section.bytes
      yield section
      if (section.kind === SECTION.end) return
    }
  } finally {
    closeSync(fd)
  }
}

function checkHead(fd: number, path: string): void {
  const head = readAt(fd, 0, FILE_HEAD_BYTES)
  if (head.latin1Slice(0, STREAM_FILE_MAGIC.length) !== STREAM_FILE_MAGIC || head.length < FILE_HEAD_BYTES) {
    throw new UsageError(`The file ${path} is not one that millrace dump-stream wrote.`)
  }
  const version = head.readUInt32BE(STREAM_FILE_MAGIC.length)
  if (version === STREAM_FILE_VERSION) return
  throw new UsageError(`The file ${path} has version ${version}; this program reads version ${STREAM_FILE_VERSION}.`)
}

function readSection(fd: number, at: number, size: number, path: string): Section & { bytes: number } {
  const damaged = (why: string) => new CorruptionError(`The file ${path} is damaged at byte ${at}: ${why}.`)
  const head = readAt(fd, at, SECTION_HEAD_BYTES)
  if (head.length < SECTION_HEAD_BYTES) throw damaged('it ends before its end section')
  const kind = head.latin1Slice(0, 1)
  const length = head.readUInt32BE(1)
  const bytes = SECTION_HEAD_BYTES + length + CRC_BYTES
  if (!KINDS.has(kind) || at + bytes > size) throw damaged('there is no whole section')
  const whole = readAt(fd, at, bytes)
  const end = bytes - CRC_BYTES
  if (whole.readUInt32BE(end) !== crc32c(whole, 0, end)) throw damaged('the checksum of the section does not hold')
  const body = new ByteReader(whole.subarray(SECTION_HEAD_BYTES, end), `section ${kind} at byte ${at} of ${path}`)
  return { kind: kind as SectionKind, body, bytes }
}

function readAt(fd: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes)
  let done = 0
  while (done < bytes) {
    const read = readSync(fd, buffer, done, bytes - done, at + done)
    if (read === 0) break
    done += read
  }
  return buffer.subarray(0, done)
}

// The stored form of a message: a line of decimal numbers, then the body's bytes as they came. Scripts write and read
// the line, so it is text; docs/queue.md draws it. Used by: redis-backend.
//
//   storage  `<published>\n<body>`                              queue  `<published> <storage uid> <enqueued>\n<body>`
//   times in microseconds of Unix time

const NEWLINE = 10

export interface StoredRecord {
  readonly publishedUs: number
  readonly body: Buffer
}

export interface QueuedRecord extends StoredRecord {
  readonly storageUid: number
  readonly enqueuedUs: number
}

/** @throws Error naming `what` when the head is not ours */
export function storedRecord(what: string, bytes: Buffer): StoredRecord {
  const { numbers, body } = split(what, bytes, 1)
  return { publishedUs: numbers[0], body }
}

/** @throws Error naming `what` when the head is not ours */
export function queuedRecord(what: string, bytes: Buffer): QueuedRecord {
  const { numbers, body } = split(what, bytes, 3)
  return { publishedUs: numbers[0], storageUid: numbers[1], enqueuedUs: numbers[2], body }
}

function split(what: string, bytes: Buffer, count: number): { numbers: number[]; body: Buffer } {
  const end = bytes.indexOf(NEWLINE)
  const numbers = end < 0 ? [] : bytes.latin1Slice(0, end).split(' ').map(Number)
  if (numbers.length !== count || !numbers.every(Number.isSafeInteger)) {
    throw new Error(`${what} does not begin with ${count} numbers and a line end: it was not written by this layer`)
  }
  return { numbers, body: bytes.subarray(end + 1) }
}

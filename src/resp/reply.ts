// What a command writes its answer to. RESP2 and RESP3 differ here and nowhere else: map() is an array of twice the
// length in RESP2, nullBulk() and nullArray() are '_' in RESP3, and so on. Implemented by ReplyWriter.

export interface Reply {
  /** 2 or 3. */
  readonly protocol: number
  /** '+text'. Text without CR or LF. */
  status(text: string): void
  ok(): void
  /** '-text', the code included ('ERR …'). CR and LF in it become spaces, as in Redis. */
  error(text: string): void
  integer(value: number | bigint): void
  bulk(bytes: Uint8Array): void
  /** A bulk string from a latin1 string: one byte per character. */
  latin1(text: string): void
  /** Bulk null ('$-1' or '_'). */
  nullBulk(): void
  /** Array null ('*-1' or '_'). */
  nullArray(): void
  array(length: number): void
  /** A map of `pairs` pairs follows: key, value, key, value … */
  map(pairs: number): void
  set(length: number): void
  /** RESP3 push; an array in RESP2. */
  push(length: number): void
  /** RESP3 boolean; integer 1 or 0 in RESP2. */
  boolean(value: boolean): void
  /** RESP3 double; bulk in RESP2. Formatted as Redis does. */
  double(value: number): void
  /** RESP3 big number; bulk in RESP2. */
  bigNumber(value: bigint): void
  /** RESP3 verbatim string with a three-letter format ('txt'); bulk in RESP2. */
  verbatim(format: string, text: string): void
  /** RESP3 attribute of `pairs` pairs; nothing may be written in RESP2. */
  attribute(pairs: number): void
  /** `<ms>-<seq>` as a bulk string. */
  streamId(id: { msHi: number; msLo: number; seqHi: number; seqLo: number }): void
  /**
   * Bytes that are RESP already (stored entries). Taken by reference when long: bytes[from, to) must never change
   * afterwards (pages only append or are replaced whole).
   */
  wire(bytes: Buffer, from: number, to: number): void
  /** Starts an array whose length is not known yet. Nested ones are allowed; close in reverse order. */
  deferArray(): number
  /** Sets the length of the array begun by deferArray. */
  endArray(token: number, length: number): void
  /** As deferArray, for a map: `pairs` at the end. */
  deferMap(): number
  endMap(token: number, pairs: number): void
  /** Bytes written since the start of the connection's present output; for undoing and limits. */
  readonly position: number
  /** Takes back everything written since `position`. Used when a command fails in mid-reply. */
  truncate(position: number): void
}

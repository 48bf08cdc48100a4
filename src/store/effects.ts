// The journal as the executor sees it. An effect is a command in its deterministic form, kept as the RESP array that a
// client would have sent ('*3\r\n$4\r\nXDEL\r\n…'); replaying a data folder means running those commands again.
// One record holds all effects of one command, transaction or script: replayed whole or not at all.

/** What must be known of those who bring the bytes of a command in records of their own before it. */
export interface Staging {
  /** Cuts made ever: what was recorded before one is not read again once its checkpoint is committed. */
  cuts: number
  /** While there are any, no cut is made. */
  holders: number
}

export interface EffectSink {
  /** Undefined where a command must have all its bytes: others than the journal read it. */
  readonly staging?: Staging | undefined
  /** Opens a record; effects until `end` belong together. `nowMs` is the frozen clock of the command. */
  begin(nowMs: number): void
  /** Adds an effect: one command as a complete RESP array in `bytes[from, to)`, which are copied. */
  add(database: number, bytes: Buffer, from: number, to: number): void
  /** Adds an effect from its arguments. Strings are latin1. */
  addArguments(database: number, args: readonly (Buffer | string | number | bigint)[]): void
  /**
   * Adds an effect that is `bytes[from, to)` (a complete RESP array) with the bytes in [cutFrom, cutTo) replaced by
   * `piece` (itself a whole bulk string or several); for XADD, whose `*` becomes an ID. The argument count is the same.
   */
  addSpliced(
    database: number,
    bytes: Buffer,
    from: number,
    to: number,
    cutFrom: number,
    cutTo: number,
    piece: Buffer,
    pieceBytes: number,
  ): void
  /** Closes the record. A record without effects leaves nothing behind. */
  end(): void
  /** Gives up the open record: nothing of it is written. */
  abandon(): void
}

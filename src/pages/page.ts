// What an ordered page must be able to do, whatever its items are. Codecs: wire-page.ts (stream entries kept as RESP),
// record-page.ts (fixed-size records: PELs), item-page.ts (keys and values of any length).

/** Items in ascending key order. */
export interface Page<K> {
  readonly count: number
  /** Bytes its body takes when encoded. */
  readonly bodyBytes: number
  /** Bytes it holds in memory. */
  readonly memoryBytes: number
  /** First index whose key is >= `key`; `count` when there is none. */
  lowerBound(key: K): number
  keyAt(index: number): K
  /** Removes items [from, to). */
  removeRange(from: number, to: number): void
  /** Moves items [at, count) to a new page and returns it. */
  splitOff(at: number): Page<K>
  /** A number kept in the descriptor (PEL: a lower bound of the delivery times in the page); 0 where unused. */
  readonly summary: number
  /** The body, as it goes to the disk; bytes that will not change afterwards. */
  encodeBody(): Buffer
}

export interface PageCodec<K, P extends Page<K>> {
  /** Page kind on disk; frozen. */
  readonly kind: number
  /** A page whose body is larger is split (if it has more than one item). */
  readonly bodyBytesMax: number
  compare(a: K, b: K): number
  encodeKey(key: K): Buffer
  decodeKey(bytes: Buffer): K
  empty(): P
  /** @throws CorruptionError when the body contradicts itself */
  decode(body: Buffer, count: number): P
}

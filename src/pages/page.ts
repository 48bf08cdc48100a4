// What an ordered page must be able to do, whatever its items are. Codecs: wire-page.ts (stream entries kept as RESP),
// record-page.ts (fixed-size records: PELs), item-page.ts (keys and values of any length), element-page.ts (no keys:
// lists).

/** Page kinds on disk. Frozen: add, never change. */
export const PAGE_KIND = {
  descriptors: 0,
  wire: 1,
  groupPel: 2,
  consumerPel: 3,
  macroNodes: 4,
  items: 16,
  /** Fields of a hash, members of a set or sorted set, by hash. */
  fields: 17,
  /** Members of a sorted set, by score. */
  scores: 18,
  /** Elements of a list. */
  elements: 19,
} as const

/** Items in ascending key order. */
export interface Page<K> {
  readonly count: number
  /** Bytes its body takes when encoded. */
  readonly bodyBytes: number
  /** Bytes it holds in memory; an estimate that changes rarely, since every change is told to the page cache. */
  readonly memoryBytes: number
  /** First index whose key is >= `key`; `count` when there is none. */
  lowerBound(key: K): number
  keyAt(index: number): K
  /** True when the key of the item at `index` is `key`. */
  isAt(index: number, key: K): boolean
  /** The largest index such that the items before it take at most `bytes` of the body. */
  indexAtBytes(bytes: number): number
  /** Removes items [from, to). */
  removeRange(from: number, to: number): void
  /** Moves items [at, count) to a new page and returns it. */
  splitOff(at: number): Page<K>
  /** Appends the items of `next`, a page of the same codec whose keys are all above; `next` is not used afterwards. */
  absorb(next: Page<K>): void
  /** A number kept in the descriptor (PEL: a lower bound of the delivery times in the page); 0 where unused. */
  readonly summary: number
  /** As `summary`, over the items that a search is to find (PEL: those whose entries may be there); 0 where unused. */
  readonly visibleSummary: number
  /** The body, as it goes to the disk; bytes that will not change afterwards. */
  encodeBody(): Buffer
  /** Writes the body to `to` at `at`: for pages whose encodeBody() would be a copy made for one more copy. */
  putBody?(to: Buffer, at: number): void
}

export interface PageCodec<K, P extends Page<K>> {
  /** Page kind on disk; frozen. */
  readonly kind: number
  /** A page whose body is larger is split (if it has more than one item). */
  readonly bodyBytesMax: number
  /**
   * Items have no keys: an item is where its rank among the pages says it is, all keys are alike, and nothing is looked
   * for by key. False when undefined.
   */
  readonly keyless?: boolean
  compare(a: K, b: K): number
  /**
   * A number that orders keys as far as it goes: it is below that of another key only if the key is. Searches look at
   * these numbers, which lie side by side, and at the keys only where they are equal. Undefined: at the keys alone.
   */
  prefix?(key: K): number
  encodeKey(key: K): Buffer
  /** @throws CorruptionError when these bytes are no key */
  decodeKey(bytes: Buffer): K
  /**
   * A key the tree may keep as a page's separator: <= `key`, and > `before`, the last key of the page before (undefined
   * when there is no such page or it is not known).
   */
  separator(before: K | undefined, key: K): K
  empty(): P
  /**
   * The page whose body is `body`, which becomes the page's own.
   * @throws CorruptionError when the body contradicts itself
   */
  decode(body: Buffer, count: number): P
}

/** True when a page that begins at `key` may follow one that begins at `before`. */
export function ascends<K, P extends Page<K>>(codec: PageCodec<K, P>, before: K, key: K): boolean {
  return codec.keyless === true || codec.compare(before, key) < 0
}

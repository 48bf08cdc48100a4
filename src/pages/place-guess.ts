// Where a search begins: where the wanted number would be, were all numbers evenly spread. Each place that a search
// looks at is a cache miss in a large tree, and IDs, hashes and separators are mostly spread evenly; where they are
// not, a search that goes on from here in growing steps costs twice the looks of one by halves. Pure; used by:
// record-page, wire-index, descriptor-block, block-list.

/** Fewer are searched by halves. */
export const GUESSED_MIN = 8

/** A place in [0, count), of ascending numbers from `first` (at 0) to `last` (at count - 1). */
export function placeGuess(first: number, last: number, wanted: number, count: number): number {
  const span = last - first
  const ahead = wanted - first
  if (!(span > 0)) return count >>> 1
  if (ahead <= 0) return 0
  return ahead >= span ? count - 1 : Math.floor((ahead / span) * (count - 1) + 0.5)
}

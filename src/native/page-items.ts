// The items of a page, many in one call: where they lie, and copied in the order of their places. Used by:
// pages/item-page, which goes from item to item itself where the addon could not be built, and where it refuses.

import { addon } from './addon.js'

/** The addon's part. `places` holds two numbers an item: its key's prefix, and its offset. */
export interface PageItemsAddon {
  /**
   * Copies the first `count` items of `bytes` to `to` at `at`. Returns the offset behind them in `to`; below zero when
   * an item does not lie within its buffer or they have no room, and then any bytes behind `at` may have changed.
   * Not in builds of before it was thought of.
   */
  gatherItems?(bytes: Uint8Array, places: Uint32Array, count: number, to: Uint8Array, at: number): number
  /**
   * Fills in the places of `count` items, which take all of `bytes` in ascending order of their keys. Returns how many
   * bytes all keys begin with; below zero when the items are not so.
   */
  placeItems?(bytes: Uint8Array, places: Uint32Array, count: number): number
}

export const { gatherItems, placeItems }: PageItemsAddon = addon ?? {}

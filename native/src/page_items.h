// The items of a page (src/pages/item-page.ts), many at once: where they lie, and copied in the order of their places.
// An item is two varints, the lengths of its key and its value, then these. A place is two numbers: the first bytes of
// the key behind those that all keys of the page begin with, and the item's offset.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace {

// Copies items to `to`. Returns the bytes written, or -1 when an item does not lie within `length` bytes, or the items
// need more than `room`.
int64_t GatherItems(const uint8_t* bytes, size_t length, const uint32_t* places, size_t count, uint8_t* to,
                    size_t room);

// Fills in the places of `count` items that take `length` bytes, all of them, in ascending order of their keys. Returns
// how many bytes all keys begin with, or -1 when the items are not so.
int64_t PlaceItems(const uint8_t* bytes, size_t length, uint32_t* places, size_t count);

}  // namespace millrace

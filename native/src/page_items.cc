#include "page_items.h"

#include <algorithm>
#include <cstring>

namespace millrace {
namespace {

constexpr size_t kVarintBytesMax = 5;
constexpr size_t kPlaceNumbers = 2;
constexpr size_t kPrefixBytes = 4;

struct Item {
  const uint8_t* key;
  size_t key_length;
  size_t end;
};

// Reads a varint at *at and moves *at behind it. False when it does not end before `length`.
bool Varint(const uint8_t* bytes, size_t length, size_t* at, uint64_t* value) {
  uint64_t sum = 0;
  for (size_t i = 0; *at < length && i < kVarintBytesMax; i++) {
    const uint8_t byte = bytes[(*at)++];
    sum |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      *value = sum;
      return true;
    }
  }
  return false;
}

// The item at `start`. False when it does not lie within `length` bytes.
bool ItemAt(const uint8_t* bytes, size_t length, size_t start, Item* item) {
  size_t at = start;
  uint64_t key = 0;
  uint64_t value = 0;
  if (!Varint(bytes, length, &at, &key) || !Varint(bytes, length, &at, &value)) return false;
  if (key > length - at || value > length - at - key) return false;
  *item = {bytes + at, static_cast<size_t>(key), at + static_cast<size_t>(key + value)};
  return true;
}

bool IsBelow(const Item& a, const Item& b) {
  const int order = memcmp(a.key, b.key, std::min(a.key_length, b.key_length));
  return order < 0 || (order == 0 && a.key_length < b.key_length);
}

size_t CommonBytes(const Item& a, const Item& b) {
  const size_t shorter = std::min(a.key_length, b.key_length);
  size_t common = 0;
  while (common < shorter && a.key[common] == b.key[common]) common++;
  return common;
}

// Bytes [skip, skip + 4) of the key as a number, missing ones zero.
uint32_t Prefix(const Item& item, size_t skip) {
  uint32_t prefix = 0;
  for (size_t i = skip; i < skip + kPrefixBytes; i++) prefix = prefix << 8 | (i < item.key_length ? item.key[i] : 0);
  return prefix;
}

}  // namespace

int64_t GatherItems(const uint8_t* bytes, size_t length, const uint32_t* places, size_t count, uint8_t* to,
                    size_t room) {
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t start = places[i * kPlaceNumbers + 1];
    Item item;
    if (!ItemAt(bytes, length, start, &item)) return -1;
    const size_t size = item.end - start;
    if (size > room - used) return -1;
    memcpy(to + used, bytes + start, size);
    used += size;
  }
  return static_cast<int64_t>(used);
}

int64_t PlaceItems(const uint8_t* bytes, size_t length, uint32_t* places, size_t count) {
  Item first = {};
  Item last = {};
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    Item item;
    if (!ItemAt(bytes, length, at, &item) || (i > 0 && !IsBelow(last, item))) return -1;
    if (i == 0) first = item;
    places[i * kPlaceNumbers + 1] = static_cast<uint32_t>(at);
    last = item;
    at = item.end;
  }
  if (at != length) return -1;
  const size_t skip = count == 0 ? 0 : CommonBytes(first, last);
  for (size_t i = 0; i < count; i++) {
    Item item;
    ItemAt(bytes, length, places[i * kPlaceNumbers + 1], &item);
    places[i * kPlaceNumbers] = Prefix(item, skip);
  }
  return static_cast<int64_t>(skip);
}

}  // namespace millrace

#include "lua_order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace millrace {
namespace {

constexpr size_t kFree = SIZE_MAX;
// Array parts have 2^0 to 2^26 places.
constexpr int kArrayBitsMax = 26;

uint32_t HashOfText(const char* text, size_t length) {
  uint32_t hash = static_cast<uint32_t>(length);
  const size_t step = (length >> 5) + 1;
  for (size_t at = length; at >= step; at -= step) {
    hash ^= (hash << 5) + (hash >> 2) + static_cast<uint8_t>(text[at - 1]);
  }
  return hash;
}

uint32_t HashOfNumber(lua_Number number) {
  if (number == 0) return 0;
  uint32_t halves[2];
  memcpy(halves, &number, sizeof(halves));
  return halves[0] + halves[1];
}

}  // namespace

struct MemberOrder::Key {
  // Of a string; nullptr for others. The table holds the string.
  const char* text;
  size_t length;
  // Of a number or boolean.
  lua_Number number;
  int type;
};

// Text by bytes, behind all else; anything would do that depends on the keys alone.
bool MemberOrder::Before(const Key& a, const Key& b) {
  if (a.type != b.type) return a.type < b.type;
  if (a.text == nullptr) return a.number < b.number;
  const int order = memcmp(a.text, b.text, std::min(a.length, b.length));
  return order != 0 ? order < 0 : a.length < b.length;
}

MemberOrder::MemberOrder(lua_State* L) : table_(lua_gettop(L)) {
  bool plain = true;
  for (lua_pushnil(L); lua_next(L, table_) != 0; lua_pop(L, 1)) {
    count_++;
    const int type = lua_type(L, -2);
    if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN) plain = false;
  }
  if (count_ == 0) {
    lua_pushnil(L);
    return;
  }
  if (!plain) {
    // Keys that are tables or functions have no order: they are put into an array as they come.
    lua_createtable(L, static_cast<int>(count_), 0);
    int i = 0;
    for (lua_pushnil(L); lua_next(L, table_) != 0; lua_pop(L, 1)) {
      lua_pushvalue(L, -2);
      lua_rawseti(L, table_ + 1, ++i);
    }
    return;
  }
  size_t places = 1;
  while (places < count_) places *= 2;
  void* room = lua_newuserdata(L, count_ * (sizeof(Key) + sizeof(size_t)) + places * sizeof(size_t));
  keys_ = static_cast<Key*>(room);
  order_ = reinterpret_cast<size_t*>(keys_ + count_);
  Collect(L);
  std::sort(keys_, keys_ + count_, Before);
  Arrange();
}

void MemberOrder::Collect(lua_State* L) {
  Key* key = keys_;
  for (lua_pushnil(L); lua_next(L, table_) != 0; lua_pop(L, 1), key++) {
    *key = {nullptr, 0, 0, lua_type(L, -2)};
    if (key->type == LUA_TSTRING) key->text = lua_tolstring(L, -2, &key->length);
    else if (key->type == LUA_TNUMBER) key->number = lua_tonumber(L, -2);
    else key->number = lua_toboolean(L, -2);
  }
}

void MemberOrder::Arrange() {
  // The array part is the largest power of two of which more than half is in use.
  size_t in_slice[kArrayBitsMax + 1] = {};
  for (size_t i = 0; i < count_; i++) {
    const Key& key = keys_[i];
    if (key.type != LUA_TNUMBER || !(key.number >= 1 && key.number <= 1 << kArrayBitsMax)) continue;
    if (std::floor(key.number) != key.number) continue;
    int bits = 0;
    while ((uint64_t{1} << bits) < static_cast<uint64_t>(key.number)) bits++;
    in_slice[bits]++;
  }
  lua_Number array = 0;
  size_t below = 0;
  for (int bits = 0; bits <= kArrayBitsMax; bits++) {
    below += in_slice[bits];
    if (below > (size_t{1} << bits) / 2) array = static_cast<lua_Number>(size_t{1} << bits);
  }
  size_t ordered = 0;
  const auto in_array = [array](const Key& key) {
    return key.type == LUA_TNUMBER && key.number >= 1 && key.number <= array && std::floor(key.number) == key.number;
  };
  for (size_t i = 0; i < count_; i++) {
    if (in_array(keys_[i])) order_[ordered++] = i;
  }
  if (ordered == count_) return;

  size_t places = 1;
  while (places < count_ - ordered) places *= 2;
  size_t* nodes = order_ + count_;
  std::fill(nodes, nodes + places, kFree);
  const auto place_of = [places](const Key& key) -> size_t {
    if (key.type == LUA_TSTRING) return HashOfText(key.text, key.length) & (places - 1);
    if (key.type == LUA_TBOOLEAN) return static_cast<size_t>(key.number) & (places - 1);
    return HashOfNumber(key.number) % ((places - 1) | 1);
  };
  size_t last_free = places;
  for (size_t i = 0; i < count_; i++) {
    if (in_array(keys_[i])) continue;
    const size_t place = place_of(keys_[i]);
    if (nodes[place] == kFree) {
      nodes[place] = i;
      continue;
    }
    do last_free--;
    while (nodes[last_free] != kFree);
    // Who sits in a place that is not its own moves out.
    const bool moves = place_of(keys_[nodes[place]]) != place;
    nodes[last_free] = moves ? nodes[place] : i;
    if (moves) nodes[place] = i;
  }
  for (size_t i = 0; i < places; i++) {
    if (nodes[i] != kFree) order_[ordered++] = nodes[i];
  }
}

void MemberOrder::Push(lua_State* L, size_t i) const {
  if (keys_ == nullptr) {
    lua_rawgeti(L, table_ + 1, static_cast<int>(i) + 1);
  } else {
    const Key& key = keys_[order_[i]];
    if (key.type == LUA_TSTRING) lua_pushlstring(L, key.text, key.length);
    else if (key.type == LUA_TNUMBER) lua_pushnumber(L, key.number);
    else lua_pushboolean(L, key.number != 0);
  }
  lua_pushvalue(L, -1);
  lua_rawget(L, table_);
}

}  // namespace millrace

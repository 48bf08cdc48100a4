#include "lua_cmsgpack.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "lua_order.h"

// MessagePack as Redis' cmsgpack speaks it: numbers without a fraction are integers, tables whose keys are 1..n arrays.

namespace millrace {
namespace {

// Deeper tables are packed as nil, so that a cycle ends.
constexpr int kDepthMax = 16;

// Grows inside a userdata at stack index 1... of the packing call, so that Lua errors free it.
struct Output {
  lua_State* L;
  int index;
  char* bytes;
  size_t used;
  size_t capacity;
};

void Reserve(Output* out, size_t more) {
  if (out->used + more <= out->capacity) return;
  size_t capacity = out->capacity == 0 ? 256 : out->capacity;
  while (capacity < out->used + more) capacity *= 2;
  char* moved = static_cast<char*>(lua_newuserdata(out->L, capacity));
  if (out->used > 0) memcpy(moved, out->bytes, out->used);
  lua_replace(out->L, out->index);
  out->bytes = moved;
  out->capacity = capacity;
}

void Put(Output* out, const void* bytes, size_t length) {
  Reserve(out, length);
  memcpy(out->bytes + out->used, bytes, length);
  out->used += length;
}

// A type byte and `size` bytes of `value`, big-endian.
void PutNumber(Output* out, uint8_t type, uint64_t value, int size) {
  uint8_t bytes[9];
  bytes[0] = type;
  for (int i = 0; i < size; i++) bytes[1 + i] = static_cast<uint8_t>(value >> (8 * (size - 1 - i)));
  Put(out, bytes, static_cast<size_t>(size) + 1);
}

void PutByte(Output* out, uint8_t byte) { Put(out, &byte, 1); }

void PackInteger(Output* out, int64_t value) {
  const uint64_t bits = static_cast<uint64_t>(value);
  if (value >= 0) {
    if (value <= 127) PutByte(out, static_cast<uint8_t>(value));
    else if (value <= 0xff) PutNumber(out, 0xcc, bits, 1);
    else if (value <= 0xffff) PutNumber(out, 0xcd, bits, 2);
    else if (value <= 0xffffffffLL) PutNumber(out, 0xce, bits, 4);
    else PutNumber(out, 0xcf, bits, 8);
  } else if (value >= -32) {
    PutByte(out, static_cast<uint8_t>(value));
  } else if (value >= -128) {
    PutNumber(out, 0xd0, bits, 1);
  } else if (value >= -32768) {
    PutNumber(out, 0xd1, bits, 2);
  } else if (value >= -2147483648LL) {
    PutNumber(out, 0xd2, bits, 4);
  } else {
    PutNumber(out, 0xd3, bits, 8);
  }
}

void PackDouble(Output* out, double value) {
  const float narrow = static_cast<float>(value);
  if (static_cast<double>(narrow) == value) {
    uint32_t bits = 0;
    memcpy(&bits, &narrow, sizeof(bits));
    PutNumber(out, 0xca, bits, 4);
    return;
  }
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  PutNumber(out, 0xcb, bits, 8);
}

void PackNumber(Output* out, lua_Number number) {
  if (number >= -9223372036854775808.0 && number < 9223372036854775808.0 &&
      static_cast<lua_Number>(static_cast<int64_t>(number)) == number) {
    PackInteger(out, static_cast<int64_t>(number));
  } else {
    PackDouble(out, number);
  }
}

void PackString(Output* out, const char* bytes, size_t length) {
  if (length < 32) PutByte(out, static_cast<uint8_t>(0xa0 | length));
  else if (length <= 0xff) PutNumber(out, 0xd9, length, 1);
  else if (length <= 0xffff) PutNumber(out, 0xda, length, 2);
  else PutNumber(out, 0xdb, length, 4);
  Put(out, bytes, length);
}

void PackCount(Output* out, size_t count, uint8_t fixed, uint8_t wide) {
  if (count <= 15) PutByte(out, static_cast<uint8_t>(fixed | count));
  else if (count <= 0xffff) PutNumber(out, wide, count, 2);
  else PutNumber(out, static_cast<uint8_t>(wide + 1), count, 4);
}

// The number of elements when the keys of the table on the top are exactly 1..n, in any order; negative otherwise.
int64_t ArrayLength(lua_State* L) {
  int64_t count = 0;
  int64_t highest = 0;
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    lua_pop(L, 1);
    const lua_Number key = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
    if (!(key > 0 && key <= 4294967295.0) || std::floor(key) != key) {
      lua_pop(L, 1);
      return -1;
    }
    count++;
    if (static_cast<int64_t>(key) > highest) highest = static_cast<int64_t>(key);
  }
  return highest == count ? count : -1;
}

void PackValue(Output* out, int depth);

void PackTable(Output* out, int depth) {
  lua_State* L = out->L;
  const int64_t length = ArrayLength(L);
  if (length >= 0) {
    PackCount(out, static_cast<size_t>(length), 0x90, 0xdc);
    for (int64_t i = 1; i <= length; i++) {
      lua_pushnumber(L, static_cast<lua_Number>(i));
      lua_rawget(L, -2);
      PackValue(out, depth + 1);
    }
    return;
  }
  const MemberOrder order(L);
  PackCount(out, order.Count(), 0x80, 0xde);
  for (size_t i = 0; i < order.Count(); i++) {
    order.Push(L, i);
    lua_insert(L, -2);
    PackValue(out, depth + 1);
    PackValue(out, depth + 1);
  }
  lua_pop(L, 1);
}

// Packs the value on the top and pops it.
void PackValue(Output* out, int depth) {
  lua_State* L = out->L;
  luaL_checkstack(L, 6, "in function mp_check");
  size_t length = 0;
  int type = lua_type(L, -1);
  if (type == LUA_TTABLE && depth == kDepthMax) type = LUA_TNIL;
  switch (type) {
    case LUA_TSTRING: {
      const char* bytes = lua_tolstring(L, -1, &length);
      PackString(out, bytes, length);
      break;
    }
    case LUA_TBOOLEAN:
      PutByte(out, lua_toboolean(L, -1) != 0 ? 0xc3 : 0xc2);
      break;
    case LUA_TNUMBER:
      PackNumber(out, lua_tonumber(L, -1));
      break;
    case LUA_TTABLE:
      PackTable(out, depth);
      break;
    default:
      PutByte(out, 0xc0);
  }
  lua_pop(L, 1);
}

int Pack(lua_State* L) {
  const int count = lua_gettop(L);
  if (count == 0) return luaL_argerror(L, 0, "MessagePack pack needs input.");
  luaL_checkstack(L, 8, "Too many arguments for MessagePack pack.");
  lua_pushnil(L);
  Output out = {L, lua_gettop(L), nullptr, 0, 0};
  for (int i = 1; i <= count; i++) {
    lua_pushvalue(L, i);
    PackValue(&out, 0);
  }
  lua_pushlstring(L, out.bytes, out.used);
  return 1;
}

struct Input {
  lua_State* L;
  const uint8_t* at;
  const uint8_t* end;
};

int Fail(lua_State* L, const char* text) { return luaL_error(L, text); }

void Need(Input* in, size_t bytes) {
  if (static_cast<size_t>(in->end - in->at) < bytes) Fail(in->L, "Missing bytes in input.");
}

// Takes `size` bytes, big-endian.
uint64_t Take(Input* in, int size) {
  Need(in, static_cast<size_t>(size));
  uint64_t value = 0;
  for (int i = 0; i < size; i++) value = value << 8 | *in->at++;
  return value;
}

void UnpackValue(Input* in);

void UnpackString(Input* in, size_t length) {
  Need(in, length);
  lua_pushlstring(in->L, reinterpret_cast<const char*>(in->at), length);
  in->at += length;
}

void UnpackArray(Input* in, size_t count) {
  lua_State* L = in->L;
  lua_newtable(L);
  for (size_t i = 1; i <= count; i++) {
    lua_pushnumber(L, static_cast<lua_Number>(i));
    UnpackValue(in);
    lua_settable(L, -3);
  }
}

void UnpackMap(Input* in, size_t count) {
  lua_State* L = in->L;
  lua_newtable(L);
  for (size_t i = 0; i < count; i++) {
    UnpackValue(in);
    UnpackValue(in);
    lua_settable(L, -3);
  }
}

void UnpackFloat(Input* in, int size) {
  const uint64_t bits = Take(in, size);
  if (size == 8) {
    double value = 0;
    memcpy(&value, &bits, sizeof(value));
    lua_pushnumber(in->L, value);
    return;
  }
  const uint32_t narrow = static_cast<uint32_t>(bits);
  float value = 0;
  memcpy(&value, &narrow, sizeof(value));
  lua_pushnumber(in->L, static_cast<lua_Number>(value));
}

// Types 0xc0 to 0xdf.
void UnpackTyped(Input* in, uint8_t type) {
  lua_State* L = in->L;
  switch (type) {
    case 0xc0:
      return lua_pushnil(L);
    case 0xc2:
    case 0xc3:
      return lua_pushboolean(L, type == 0xc3);
    case 0xca:
      return UnpackFloat(in, 4);
    case 0xcb:
      return UnpackFloat(in, 8);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
      // The largest are read as signed, as Redis does.
      return lua_pushnumber(L, static_cast<lua_Number>(static_cast<int64_t>(Take(in, 1 << (type - 0xcc)))));
    case 0xd0:
      return lua_pushnumber(L, static_cast<int8_t>(Take(in, 1)));
    case 0xd1:
      return lua_pushnumber(L, static_cast<int16_t>(Take(in, 2)));
    case 0xd2:
      return lua_pushnumber(L, static_cast<int32_t>(Take(in, 4)));
    case 0xd3:
      return lua_pushnumber(L, static_cast<lua_Number>(static_cast<int64_t>(Take(in, 8))));
    case 0xd9:
    case 0xda:
    case 0xdb:
      return UnpackString(in, Take(in, 1 << (type - 0xd9)));
    case 0xdc:
    case 0xdd:
      return UnpackArray(in, Take(in, type == 0xdc ? 2 : 4));
    case 0xde:
    case 0xdf:
      return UnpackMap(in, Take(in, type == 0xde ? 2 : 4));
    default:
      Fail(L, "Bad data format in input.");
  }
}

void UnpackValue(Input* in) {
  lua_State* L = in->L;
  // Lua's own bound of the stack is that of the nesting.
  luaL_checkstack(L, 6, "too many return values at once; use unpack_one or unpack_limit instead.");
  const uint8_t type = static_cast<uint8_t>(Take(in, 1));
  if (type < 0x80) lua_pushnumber(L, type);
  else if (type >= 0xe0) lua_pushnumber(L, static_cast<int8_t>(type));
  else if (type < 0x90) UnpackMap(in, type & 15);
  else if (type < 0xa0) UnpackArray(in, type & 15);
  else if (type < 0xc0) UnpackString(in, type & 31);
  else UnpackTyped(in, type);
}

// Up to `limit` values (0: all) from `offset`; with a limit the offset of what is left (or -1) comes first.
int UnpackFrom(lua_State* L, int64_t limit, int64_t offset) {
  size_t length = 0;
  const char* bytes = luaL_checklstring(L, 1, &length);
  if (limit < 0 || offset < 0) {
    return luaL_error(L, "Invalid request to unpack with offset of %d and limit of %d.", static_cast<int>(offset),
                      static_cast<int>(length));
  }
  if (offset > static_cast<int64_t>(length)) {
    return luaL_error(L, "Start offset %d greater than input length %d.", static_cast<int>(offset),
                      static_cast<int>(length));
  }
  const uint8_t* start = reinterpret_cast<const uint8_t*>(bytes);
  Input in = {L, start + offset, start + length};
  const bool all = limit == 0;
  int count = 0;
  for (; in.at < in.end && (all || count < limit); count++) UnpackValue(&in);
  if (all) return count;
  luaL_checkstack(L, 1, "too many return values at once; use unpack_one or unpack_limit instead.");
  lua_pushnumber(L, in.at == in.end ? -1 : static_cast<lua_Number>(in.at - start));
  lua_insert(L, 2);
  return count + 1;
}

int Unpack(lua_State* L) {
  luaL_checkstring(L, 1);
  lua_settop(L, 1);
  return UnpackFrom(L, 0, 0);
}

int UnpackOne(lua_State* L) {
  const int64_t offset = luaL_optinteger(L, 2, 0);
  lua_settop(L, 1);
  return UnpackFrom(L, 1, offset);
}

int UnpackLimit(lua_State* L) {
  const int64_t limit = luaL_checkinteger(L, 2);
  const int64_t offset = luaL_optinteger(L, 3, 0);
  lua_settop(L, 1);
  return UnpackFrom(L, limit, offset);
}

}  // namespace

void PushCmsgpack(lua_State* L) {
  lua_newtable(L);
  constexpr luaL_Reg functions[] = {
      {"pack", Pack}, {"unpack", Unpack}, {"unpack_one", UnpackOne}, {"unpack_limit", UnpackLimit}, {nullptr, nullptr}};
  for (const luaL_Reg* one = functions; one->name != nullptr; one++) {
    lua_pushcfunction(L, one->func);
    lua_setfield(L, -2, one->name);
  }
  lua_pushliteral(L, "cmsgpack");
  lua_setfield(L, -2, "_NAME");
  // What scripts look at to know the behaviour they get.
  lua_pushliteral(L, "lua-cmsgpack 0.4.0");
  lua_setfield(L, -2, "_VERSION");
}

}  // namespace millrace

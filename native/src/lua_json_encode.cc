#include "lua_json.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "lua_order.h"

// JSON as Redis' cjson writes it: its number format, its rules for sparse arrays, its messages.

namespace millrace {
namespace {

constexpr size_t kFirstBytes = 1024;

// Begins on the C stack and moves into a userdata at `index` when it grows, so that Lua errors free it.
struct Output {
  lua_State* L;
  const JsonConfig* config;
  int index;
  char* bytes;
  size_t used;
  size_t capacity;
  char first[kFirstBytes];
};

void Grow(Output* out, size_t more) {
  size_t capacity = out->capacity * 2;
  while (capacity < out->used + more) capacity *= 2;
  char* moved = static_cast<char*>(lua_newuserdata(out->L, capacity));
  memcpy(moved, out->bytes, out->used);
  lua_replace(out->L, out->index);
  out->bytes = moved;
  out->capacity = capacity;
}

inline void Reserve(Output* out, size_t more) {
  if (out->used + more > out->capacity) Grow(out, more);
}

inline void PutByte(Output* out, char byte) {
  Reserve(out, 1);
  out->bytes[out->used++] = byte;
}

void PutText(Output* out, const char* text, size_t length) {
  Reserve(out, length);
  memcpy(out->bytes + out->used, text, length);
  out->used += length;
}

// The letter behind the backslash for bytes that have one; 'u' for those written in hexadecimal; 0 for plain ones.
char EscapeOf(uint8_t byte) {
  switch (byte) {
    case '"':
    case '\\':
    case '/':
      return static_cast<char>(byte);
    case '\b':
      return 'b';
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\f':
      return 'f';
    case '\r':
      return 'r';
    default:
      return byte < 0x20 || byte == 0x7f ? 'u' : 0;
  }
}

void PutString(Output* out, const char* text, size_t length) {
  constexpr char kHex[] = "0123456789abcdef";
  // The longest escape has six characters.
  if (length > (SIZE_MAX - 2) / 6) luaL_error(out->L, "not enough memory");
  Reserve(out, length * 6 + 2);
  char* at = out->bytes + out->used;
  *at++ = '"';
  for (size_t i = 0; i < length; i++) {
    const uint8_t byte = static_cast<uint8_t>(text[i]);
    const char escape = byte > '\\' && byte != 0x7f ? 0 : EscapeOf(byte);
    if (escape == 0) {
      *at++ = static_cast<char>(byte);
      continue;
    }
    *at++ = '\\';
    *at++ = escape;
    if (escape != 'u') continue;
    *at++ = '0';
    *at++ = '0';
    *at++ = kHex[byte >> 4];
    *at++ = kHex[byte & 15];
  }
  *at++ = '"';
  out->used = static_cast<size_t>(at - out->bytes);
}

int Unsupported(lua_State* L, int index, const char* reason) {
  return luaL_error(L, "Cannot serialise %s: %s", luaL_typename(L, index), reason);
}

void PutNumber(Output* out, int index) {
  const lua_Number number = lua_tonumber(out->L, index);
  const JsonConfig* config = out->config;
  if (!std::isfinite(number)) {
    if (config->encode_invalid_numbers == 0) Unsupported(out->L, index, "must not be NaN or Inf");
    if (config->encode_invalid_numbers == 2) return PutText(out, "null", 4);
    const char* text = std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
    return PutText(out, text, strlen(text));
  }
  Reserve(out, 32);
  char* at = out->bytes + out->used;
  const int64_t whole = std::fabs(number) < 1e9 ? static_cast<int64_t>(number) : 0;
  int length = 0;
  if (whole != 0 && static_cast<lua_Number>(whole) == number && config->precision > 9) {
    length = snprintf(at, 32, "%d", static_cast<int>(whole));
  } else {
    length = snprintf(at, 32, "%.*g", config->precision, number);
  }
  out->used += static_cast<size_t>(length);
}

// Number of elements when the table on the top is an array; -1 when it is an object.
int64_t ArrayLength(Output* out) {
  lua_State* L = out->L;
  int64_t highest = 0;
  int64_t items = 0;
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    lua_pop(L, 1);
    const lua_Number key = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
    if (!(key >= 1 && key <= 9007199254740992.0) || std::floor(key) != key) {
      lua_pop(L, 1);
      return -1;
    }
    if (static_cast<int64_t>(key) > highest) highest = static_cast<int64_t>(key);
    items++;
  }
  const JsonConfig* config = out->config;
  if (config->sparse_ratio > 0 && highest > items * config->sparse_ratio && highest > config->sparse_safe) {
    if (config->sparse_convert == 0) Unsupported(L, -1, "excessively sparse array");
    return -1;
  }
  // An empty table is an object.
  return items == 0 ? -1 : highest;
}

void PutValue(Output* out, int depth);

void PutArray(Output* out, int64_t length, int depth) {
  lua_State* L = out->L;
  PutByte(out, '[');
  for (int64_t i = 1; i <= length; i++) {
    if (i > 1) PutByte(out, ',');
    lua_rawgeti(L, -1, static_cast<int>(i));
    PutValue(out, depth);
    lua_pop(L, 1);
  }
  PutByte(out, ']');
}

void PutObject(Output* out, int depth) {
  lua_State* L = out->L;
  PutByte(out, '{');
  const MemberOrder order(L);
  for (size_t i = 0; i < order.Count(); i++) {
    if (i > 0) PutByte(out, ',');
    order.Push(L, i);
    const int type = lua_type(L, -2);
    if (type == LUA_TNUMBER) {
      PutByte(out, '"');
      PutNumber(out, -2);
      PutByte(out, '"');
    } else if (type == LUA_TSTRING) {
      size_t length = 0;
      const char* text = lua_tolstring(L, -2, &length);
      PutString(out, text, length);
    } else {
      Unsupported(L, -2, "table key must be a number or string");
    }
    PutByte(out, ':');
    PutValue(out, depth);
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  PutByte(out, '}');
}

void PutValue(Output* out, int depth) {
  lua_State* L = out->L;
  size_t length = 0;
  switch (lua_type(L, -1)) {
    case LUA_TSTRING: {
      const char* text = lua_tolstring(L, -1, &length);
      return PutString(out, text, length);
    }
    case LUA_TNUMBER:
      return PutNumber(out, -1);
    case LUA_TBOOLEAN:
      return lua_toboolean(L, -1) != 0 ? PutText(out, "true", 4) : PutText(out, "false", 5);
    case LUA_TNIL:
      return PutText(out, "null", 4);
    case LUA_TLIGHTUSERDATA:
      if (lua_touserdata(L, -1) == nullptr) return PutText(out, "null", 4);
      break;
    case LUA_TTABLE: {
      if (depth + 1 > out->config->encode_depth_max || lua_checkstack(L, 6) == 0) {
        luaL_error(L, "Cannot serialise, excessive nesting (%d)", depth + 1);
      }
      const int64_t array = ArrayLength(out);
      if (array >= 0) return PutArray(out, array, depth + 1);
      return PutObject(out, depth + 1);
    }
    default:
      break;
  }
  Unsupported(L, -1, "type not supported");
}

}  // namespace

int EncodeJson(lua_State* L) {
  luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
  lua_pushnil(L);
  Output out;
  out.L = L;
  out.config = JsonConfigOf(L);
  out.index = 2;
  out.bytes = out.first;
  out.used = 0;
  out.capacity = kFirstBytes;
  lua_pushvalue(L, 1);
  PutValue(&out, 0);
  lua_pushlstring(L, out.bytes, out.used);
  return 1;
}

}  // namespace millrace

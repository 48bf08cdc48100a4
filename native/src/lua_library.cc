#include "lua_library.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>

#include "lua_host.h"

namespace millrace {
namespace {

constexpr uint64_t kRandomFactor = 0x5DEECE66D;
constexpr uint64_t kRandomAddend = 0xB;
constexpr uint64_t kRandomMask = (uint64_t{1} << 48) - 1;
constexpr uint64_t kRandomLow = 0x330E;

// Between 0 and 1, without 1.
lua_Number NextRandom(LuaHost* host) {
  host->random = (host->random * kRandomFactor + kRandomAddend) & kRandomMask;
  return static_cast<lua_Number>((host->random >> 17) % INT32_MAX) / INT32_MAX;
}

void SetRandom(LuaHost* host, uint32_t seed) { host->random = static_cast<uint64_t>(seed) << 16 | kRandomLow; }

// The longest item: the 309 digits of a number before its point, 99 behind it.
constexpr size_t kItemMax = 512;
// "%", five flags, two digits, ".", two digits, "l", the letter.
constexpr size_t kSpecMax = 16;

// Copies one conversion up to its letter, with "%" in front, and returns where the letter is.
const char* Spec(lua_State* L, const char* at, char* spec, size_t* length) {
  const char* begin = at;
  while (*at != '\0' && strchr("-+ #0", *at) != nullptr) at++;
  if (at - begin > 5) luaL_error(L, "invalid format (repeated flags)");
  const auto digits = [&at] {
    for (int i = 0; i < 2 && *at >= '0' && *at <= '9'; i++) at++;
  };
  digits();
  if (*at == '.') {
    at++;
    digits();
  }
  if (*at >= '0' && *at <= '9') luaL_error(L, "invalid format (width or precision too long)");
  *length = static_cast<size_t>(at - begin) + 1;
  spec[0] = '%';
  memcpy(spec + 1, begin, *length - 1);
  return at;
}

void AddQuoted(lua_State* L, luaL_Buffer* out, int argument) {
  size_t length = 0;
  const char* text = luaL_checklstring(L, argument, &length);
  luaL_addchar(out, '"');
  for (size_t i = 0; i < length; i++) {
    const char byte = text[i];
    if (byte == '\r') {
      luaL_addlstring(out, "\\r", 2);
    } else if (byte == '\0') {
      luaL_addlstring(out, "\\000", 4);
    } else {
      if (byte == '"' || byte == '\\' || byte == '\n') luaL_addchar(out, '\\');
      luaL_addchar(out, byte);
    }
  }
  luaL_addchar(out, '"');
}

// Adds argument `argument` as `letter` with the conversion in spec[0, length).
void AddItem(lua_State* L, luaL_Buffer* out, char letter, char* spec, size_t length, int argument) {
  char item[kItemMax];
  int written = 0;
  const auto finish = [&](const char* letters) { strcpy(spec + length, letters); };
  const char whole[] = {'l', letter, '\0'};
  const char plain[] = {letter, '\0'};
  switch (letter) {
    case 'c':
      finish(plain);
      written = snprintf(item, sizeof(item), spec, static_cast<int>(luaL_checknumber(L, argument)));
      // The byte 0 ends what C has formatted.
      written = static_cast<int>(strlen(item));
      break;
    case 'd':
    case 'i':
      finish(whole);
      written = snprintf(item, sizeof(item), spec, static_cast<long>(luaL_checknumber(L, argument)));
      break;
    case 'o':
    case 'u':
    case 'x':
    case 'X': {
      finish(whole);
      const lua_Number number = luaL_checknumber(L, argument);
      const unsigned long bits =
          number < 0 ? static_cast<unsigned long>(static_cast<long>(number)) : static_cast<unsigned long>(number);
      written = snprintf(item, sizeof(item), spec, bits);
      break;
    }
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G': {
      finish(plain);
      const lua_Number number = luaL_checknumber(L, argument);
      // LuaJIT keeps no sign of a NaN, and tostring shows none.
      written = snprintf(item, sizeof(item), spec, std::isnan(number) ? std::fabs(number) : number);
      break;
    }
    case 'q':
      AddQuoted(L, out, argument);
      return;
    case 's': {
      finish(plain);
      size_t size = 0;
      const char* text = luaL_checklstring(L, argument, &size);
      if (memchr(spec, '.', length) == nullptr && size >= 100) {
        lua_pushvalue(L, argument);
        luaL_addvalue(out);
        return;
      }
      written = snprintf(item, sizeof(item), spec, text);
      break;
    }
    default:
      if (letter == '\0') luaL_error(L, "invalid option '%%' to 'format'");
      luaL_error(L, "invalid option '%%%c' to 'format'", letter);
  }
  luaL_addlstring(out, item, static_cast<size_t>(written));
}

}  // namespace

int Format(lua_State* L) {
  const int last = lua_gettop(L);
  size_t size = 0;
  const char* at = luaL_checklstring(L, 1, &size);
  const char* end = at + size;
  int argument = 1;
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  while (at < end) {
    if (*at != '%') {
      luaL_addchar(&out, *at++);
    } else if (*++at == '%') {
      luaL_addchar(&out, *at++);
    } else {
      if (++argument > last) return luaL_argerror(L, argument, "no value");
      char spec[kSpecMax];
      size_t length = 0;
      at = Spec(L, at, spec, &length);
      AddItem(L, &out, *at++, spec, length, argument);
    }
  }
  luaL_pushresult(&out);
  return 1;
}

int Random(lua_State* L) {
  const lua_Number random = NextRandom(HostOf(L));
  switch (lua_gettop(L)) {
    case 0:
      lua_pushnumber(L, random);
      return 1;
    case 1: {
      const int high = luaL_checkint(L, 1);
      luaL_argcheck(L, 1 <= high, 1, "interval is empty");
      lua_pushnumber(L, std::floor(random * high) + 1);
      return 1;
    }
    case 2: {
      const int low = luaL_checkint(L, 1);
      const int high = luaL_checkint(L, 2);
      luaL_argcheck(L, low <= high, 2, "interval is empty");
      lua_pushnumber(L, std::floor(random * (static_cast<lua_Number>(high) - low + 1)) + low);
      return 1;
    }
    default:
      return luaL_error(L, "wrong number of arguments");
  }
}

int RandomSeed(lua_State* L) {
  SetRandom(HostOf(L), static_cast<uint32_t>(luaL_checkint(L, 1)));
  return 0;
}

void SeedRandom(lua_State* L) { SetRandom(HostOf(L), std::random_device()()); }

// LuaJIT's own gives nothing for the smallest number of digits.
int ToHex(lua_State* L) {
  constexpr char kLower[] = "0123456789abcdef";
  constexpr char kUpper[] = "0123456789ABCDEF";
  luaL_checknumber(L, 1);
  int64_t digits = lua_isnone(L, 2) ? 8 : static_cast<int64_t>(luaL_checknumber(L, 2));
  // bit.tobit knows how numbers wrap around.
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  uint32_t bits = static_cast<uint32_t>(static_cast<int32_t>(lua_tonumber(L, -1)));
  const char* hex = digits < 0 ? kUpper : kLower;
  if (digits < 0) digits = -digits;
  if (digits > 8) digits = 8;
  char text[8];
  for (int64_t i = digits - 1; i >= 0; i--) {
    text[i] = hex[bits & 15];
    bits >>= 4;
  }
  lua_pushlstring(L, text, static_cast<size_t>(digits));
  return 1;
}

}  // namespace millrace

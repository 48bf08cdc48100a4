#include "lua_struct.h"

#include <cctype>
#include <climits>
#include <cstdint>
#include <cstring>

// Binary records by a format: b B h H l L T i[n] I[n] c[n] s x f d, with < > = for the byte order and ![n] for the
// alignment of what follows.

namespace millrace {
namespace {

constexpr int kIntegerBytesMax = 32;
constexpr int kAlignMax = 16;

struct Layout {
  bool little = true;
  int align = 1;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A decimal number in the format, or `otherwise` when there is none.
int Number(lua_State* L, const char** format, int otherwise) {
  if (!IsDigit(**format)) return otherwise;
  int value = 0;
  do {
    if (value > INT_MAX / 10 || value * 10 > INT_MAX - (**format - '0')) luaL_error(L, "integral size overflow");
    value = value * 10 + (*(*format)++ - '0');
  } while (IsDigit(**format));
  return value;
}

size_t SizeOf(lua_State* L, char option, const char** format) {
  switch (option) {
    case 'b':
    case 'B':
    case 'x':
      return 1;
    case 'h':
    case 'H':
      return sizeof(short);
    case 'l':
    case 'L':
      return sizeof(long);
    case 'T':
      return sizeof(size_t);
    case 'f':
      return sizeof(float);
    case 'd':
      return sizeof(double);
    case 'c':
      return static_cast<size_t>(Number(L, format, 1));
    case 'i':
    case 'I': {
      const int size = Number(L, format, sizeof(int));
      if (size > kIntegerBytesMax) {
        luaL_error(L, "integral size %d is larger than limit of %d", size, kIntegerBytesMax);
      }
      return static_cast<size_t>(size);
    }
    default:
      return 0;
  }
}

// Bytes of padding in front of an option of `size` bytes at offset `total`.
size_t Padding(size_t size, const Layout& layout, char option, size_t total) {
  if (size == 0 || option == 'c') return 0;
  size_t align = size;
  if (align > static_cast<size_t>(layout.align)) align = static_cast<size_t>(layout.align);
  if (align < 2) return 0;
  return (align - (total & (align - 1))) & (align - 1);
}

// Options that change the layout instead of holding a value.
void Control(lua_State* L, char option, const char** format, Layout* layout) {
  switch (option) {
    case ' ':
      return;
    case '>':
      layout->little = false;
      return;
    case '<':
      layout->little = true;
      return;
    case '!': {
      const int align = Number(L, format, kAlignMax / 2);
      if (align == 0 || (align & (align - 1)) != 0) luaL_error(L, "alignment %d is not a power of 2", align);
      layout->align = align;
      return;
    }
    default: {
      const char text[2] = {option, '\0'};
      luaL_argerror(L, 1, lua_pushfstring(L, "invalid format option '%s'", text));
    }
  }
}

void AddInteger(lua_State* L, luaL_Buffer* buffer, bool little, int argument, size_t size) {
  const lua_Number number = luaL_checknumber(L, argument);
  uint64_t value = 0;
  // Conversions outside of their range are undefined in C++; here they give what x86 gives.
  if (number < 0) {
    value = number >= -9223372036854775808.0 ? static_cast<uint64_t>(static_cast<int64_t>(number)) : uint64_t{1} << 63;
  } else if (number < 18446744073709551616.0) {
    value = static_cast<uint64_t>(number);
  }
  char bytes[kIntegerBytesMax];
  for (size_t i = 0; i < size; i++) {
    bytes[little ? i : size - 1 - i] = static_cast<char>(value & 0xff);
    value >>= 8;
  }
  luaL_addlstring(buffer, bytes, size);
}

void AddFloat(luaL_Buffer* buffer, const void* value, size_t size, bool little) {
  char bytes[sizeof(double)];
  memcpy(bytes, value, size);
  if (!little) {
    for (size_t i = 0; i < size / 2; i++) {
      const char swapped = bytes[i];
      bytes[i] = bytes[size - 1 - i];
      bytes[size - 1 - i] = swapped;
    }
  }
  luaL_addlstring(buffer, bytes, size);
}

int Pack(lua_State* L) {
  const char* format = luaL_checkstring(L, 1);
  Layout layout;
  int argument = 2;
  size_t total = 0;
  luaL_Buffer buffer;
  // Marks the end of the arguments, for the error that says one is missing.
  lua_pushnil(L);
  luaL_buffinit(L, &buffer);
  while (*format != '\0') {
    const char option = *format++;
    size_t size = SizeOf(L, option, &format);
    const size_t padding = Padding(size, layout, option, total);
    total += padding;
    for (size_t i = 0; i < padding; i++) luaL_addchar(&buffer, 0);
    switch (option) {
      case 'b':
      case 'B':
      case 'h':
      case 'H':
      case 'l':
      case 'L':
      case 'T':
      case 'i':
      case 'I':
        AddInteger(L, &buffer, layout.little, argument++, size);
        break;
      case 'x':
        luaL_addchar(&buffer, 0);
        break;
      case 'f': {
        const float value = static_cast<float>(luaL_checknumber(L, argument++));
        AddFloat(&buffer, &value, size, layout.little);
        break;
      }
      case 'd': {
        const double value = luaL_checknumber(L, argument++);
        AddFloat(&buffer, &value, size, layout.little);
        break;
      }
      case 'c':
      case 's': {
        size_t length = 0;
        const char* text = luaL_checklstring(L, argument++, &length);
        if (size == 0) size = length;
        luaL_argcheck(L, length >= size, argument, "string too short");
        luaL_addlstring(&buffer, text, size);
        if (option == 's') {
          luaL_addchar(&buffer, 0);
          size++;
        }
        break;
      }
      default:
        Control(L, option, &format, &layout);
    }
    total += size;
  }
  luaL_pushresult(&buffer);
  return 1;
}

lua_Number IntegerAt(const uint8_t* bytes, bool little, bool is_signed, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value = value << 8 | bytes[little ? size - 1 - i : i];
  if (!is_signed) return static_cast<lua_Number>(value);
  if (size < 8 && size > 0) {
    const uint64_t sign = uint64_t{1} << (size * 8 - 1);
    value = (value ^ sign) - sign;
  }
  return static_cast<lua_Number>(static_cast<int64_t>(value));
}

void PushFloat(lua_State* L, const char* at, size_t size, bool little) {
  char bytes[sizeof(double)];
  for (size_t i = 0; i < size; i++) bytes[i] = at[little ? i : size - 1 - i];
  if (size == sizeof(float)) {
    float value = 0;
    memcpy(&value, bytes, size);
    lua_pushnumber(L, static_cast<lua_Number>(value));
  } else {
    double value = 0;
    memcpy(&value, bytes, size);
    lua_pushnumber(L, value);
  }
}

// Pushes what `option` says lies at data[position]; returns how many bytes that took, and in `pushed` how many values.
size_t UnpackOne(lua_State* L, char option, size_t size, const Layout& layout, const char* data, size_t length,
                 size_t position, int* pushed) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(data) + position;
  switch (option) {
    case 'b':
    case 'B':
    case 'h':
    case 'H':
    case 'l':
    case 'L':
    case 'T':
    case 'i':
    case 'I':
      lua_pushnumber(L, IntegerAt(bytes, layout.little, option >= 'a', size));
      *pushed = 1;
      return size;
    case 'f':
    case 'd':
      PushFloat(L, data + position, size, layout.little);
      *pushed = 1;
      return size;
    case 'c':
      if (size == 0) {
        // Its length is the number read before it, which it replaces.
        if (*pushed == 0 || lua_isnumber(L, -1) == 0) luaL_error(L, "format 'c0' needs a previous size");
        const lua_Number wanted = lua_tonumber(L, -1);
        lua_pop(L, 1);
        if (!(wanted >= 0 && wanted <= static_cast<lua_Number>(length - position))) {
          luaL_argerror(L, 2, "data string too short");
        }
        size = static_cast<size_t>(wanted);
        *pushed = 0;
      } else {
        *pushed = 1;
      }
      lua_pushlstring(L, data + position, size);
      return size;
    case 's': {
      const void* end = memchr(data + position, '\0', length - position);
      if (end == nullptr) luaL_error(L, "unfinished string in data");
      size = static_cast<size_t>(static_cast<const char*>(end) - (data + position)) + 1;
      lua_pushlstring(L, data + position, size - 1);
      *pushed = 1;
      return size;
    }
    default:
      return size;
  }
}

int Unpack(lua_State* L) {
  const char* format = luaL_checkstring(L, 1);
  size_t length = 0;
  const char* data = luaL_checklstring(L, 2, &length);
  const int64_t start = luaL_optinteger(L, 3, 1);
  luaL_argcheck(L, start != 0, 3, "offset must be 1 or greater");
  luaL_argcheck(L, start > 0, 2, "data string too short");
  size_t position = static_cast<size_t>(start - 1);
  Layout layout;
  int count = 0;
  lua_settop(L, 2);
  while (*format != '\0') {
    const char option = *format++;
    const size_t size = SizeOf(L, option, &format);
    position += Padding(size, layout, option, position);
    luaL_argcheck(L, size <= length && position <= length - size, 2, "data string too short");
    luaL_checkstack(L, 2, "too many results");
    const bool control = strchr("bBhHlLTiIfdcsx", option) == nullptr;
    if (control) {
      Control(L, option, &format, &layout);
      continue;
    }
    int pushed = option == 'c' && size == 0 ? count : 0;
    position += UnpackOne(L, option, size, layout, data, length, position, &pushed);
    count += pushed;
  }
  lua_pushnumber(L, static_cast<lua_Number>(position + 1));
  return count + 1;
}

int Size(lua_State* L) {
  const char* format = luaL_checkstring(L, 1);
  Layout layout;
  size_t total = 0;
  while (*format != '\0') {
    const char option = *format++;
    const size_t size = SizeOf(L, option, &format);
    total += Padding(size, layout, option, total);
    if (option == 's') luaL_argerror(L, 1, "option 's' has no fixed size");
    if (option == 'c' && size == 0) luaL_argerror(L, 1, "option 'c0' has no fixed size");
    if (isalnum(static_cast<unsigned char>(option)) == 0) Control(L, option, &format, &layout);
    total += size;
  }
  lua_pushnumber(L, static_cast<lua_Number>(total));
  return 1;
}

}  // namespace

void PushStruct(lua_State* L) {
  lua_newtable(L);
  lua_pushcfunction(L, Pack);
  lua_setfield(L, -2, "pack");
  lua_pushcfunction(L, Unpack);
  lua_setfield(L, -2, "unpack");
  lua_pushcfunction(L, Size);
  lua_setfield(L, -2, "size");
}

}  // namespace millrace

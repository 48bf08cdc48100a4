#include "lua_cjson.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <strings.h>

// JSON as Redis' cjson reads and writes it: its number format, rules for sparse arrays, limits of depth and messages.

namespace millrace {
namespace {

struct Config {
  int sparse_convert = 0;
  int sparse_ratio = 2;
  int sparse_safe = 10;
  int encode_depth_max = 1000;
  int decode_depth_max = 1000;
  int precision = 14;
  // 0 refuses NaN and infinities, 1 writes them, 2 writes null.
  int encode_invalid_numbers = 0;
  int decode_invalid_numbers = 1;
  int keep_buffer = 1;
};

Config* ConfigOf(lua_State* L) { return static_cast<Config*>(lua_touserdata(L, lua_upvalueindex(1))); }

// --- encoding

constexpr size_t kFirstBytes = 1024;

// Begins on the C stack and moves into a userdata at `index` when it grows, so that Lua errors free it.
struct Output {
  lua_State* L;
  const Config* config;
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
  const Config* config = out->config;
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
  const Config* config = out->config;
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
  bool first = true;
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    if (!first) PutByte(out, ',');
    first = false;
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
    lua_pop(L, 1);
  }
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
      if (depth + 1 > out->config->encode_depth_max || lua_checkstack(L, 4) == 0) {
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

int Encode(lua_State* L) {
  luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
  lua_pushnil(L);
  Output out;
  out.L = L;
  out.config = ConfigOf(L);
  out.index = 2;
  out.bytes = out.first;
  out.used = 0;
  out.capacity = kFirstBytes;
  lua_pushvalue(L, 1);
  PutValue(&out, 0);
  lua_pushlstring(L, out.bytes, out.used);
  return 1;
}

// --- decoding

enum class Token {
  kObjectBegin,
  kObjectEnd,
  kArrayBegin,
  kArrayEnd,
  kString,
  kNumber,
  kBoolean,
  kNull,
  kColon,
  kComma,
  kEnd,
  kError,
};

constexpr const char* kTokenNames[] = {"T_OBJ_BEGIN", "T_OBJ_END", "T_ARR_BEGIN", "T_ARR_END", "T_STRING", "T_NUMBER",
                                       "T_BOOLEAN",   "T_NULL",    "T_COLON",     "T_COMMA",   "T_END",    "T_ERROR"};

struct Input {
  lua_State* L;
  const Config* config;
  const char* start;
  const char* at;
  // Of the last token: where it begins, and what it holds. Text is on the Lua stack.
  const char* token_at;
  lua_Number number;
  bool boolean;
  const char* fault;
  // Room for a string with escapes, no longer than its text.
  char* scratch;
};

Token Fault(Input* in, const char* at, const char* what) {
  in->token_at = at;
  in->fault = what;
  return Token::kError;
}

int HexAt(const char* at) {
  int value = 0;
  for (int i = 0; i < 4; i++) {
    const char c = at[i];
    int digit = 0;
    if (c >= '0' && c <= '9') digit = c - '0';
    else if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
    else if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
    else return -1;
    value = value * 16 + digit;
  }
  return value;
}

char* PutUtf8(char* out, int code) {
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *out++ = static_cast<char>(0xc0 | code >> 6);
    *out++ = static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    *out++ = static_cast<char>(0xe0 | code >> 12);
    *out++ = static_cast<char>(0x80 | (code >> 6 & 0x3f));
    *out++ = static_cast<char>(0x80 | (code & 0x3f));
  } else {
    *out++ = static_cast<char>(0xf0 | code >> 18);
    *out++ = static_cast<char>(0x80 | (code >> 12 & 0x3f));
    *out++ = static_cast<char>(0x80 | (code >> 6 & 0x3f));
    *out++ = static_cast<char>(0x80 | (code & 0x3f));
  }
  return out;
}

// Reads the escape "\uXXXX" (a pair of them for codes beyond 16 bits) at `at`; moves both. False when it is wrong.
bool Unicode(const char** at, char** out) {
  // The text ends with a zero, which is no digit: nothing is read behind it.
  int code = HexAt(*at + 2);
  if (code < 0) return false;
  const char* behind = *at + 6;
  if ((code & 0xf800) == 0xd800) {
    if ((code & 0x400) != 0 || behind[0] != '\\' || behind[1] != 'u') return false;
    const int low = HexAt(behind + 2);
    if (low < 0 || (low & 0xfc00) != 0xdc00) return false;
    code = ((code & 0x3ff) << 10) + (low & 0x3ff) + 0x10000;
    behind += 6;
  }
  *at = behind;
  *out = PutUtf8(*out, code);
  return true;
}

char Unescape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'f':
      return '\f';
    case 'r':
      return '\r';
    default:
      return 0;
  }
}

// Pushes the string; `at` is behind its opening quote.
Token String(Input* in) {
  const char* from = in->at;
  const char* at = from;
  while (*at != '"' && *at != '\\' && *at != '\0') at++;
  if (*at == '"') {
    lua_pushlstring(in->L, from, static_cast<size_t>(at - from));
    in->at = at + 1;
    return Token::kString;
  }
  char* out = in->scratch;
  memcpy(out, from, static_cast<size_t>(at - from));
  out += at - from;
  while (*at != '"') {
    if (*at == '\0') return Fault(in, at, "unexpected end of string");
    if (*at != '\\') {
      *out++ = *at++;
      continue;
    }
    if (at[1] == 'u') {
      if (!Unicode(&at, &out)) return Fault(in, at, "invalid unicode escape code");
      continue;
    }
    const char plain = Unescape(at[1]);
    if (plain == 0) return Fault(in, at, "invalid escape code");
    *out++ = plain;
    at += 2;
  }
  lua_pushlstring(in->L, in->scratch, static_cast<size_t>(out - in->scratch));
  in->at = at + 1;
  return Token::kString;
}

// Whether what is at `at` is read by strtod but is no number of JSON: hexadecimal, infinite, NaN, a leading zero or plus.
bool IsInvalidNumber(const char* at) {
  if (*at == '+') return true;
  if (*at == '-') at++;
  if (*at == '0') {
    if ((at[1] | 0x20) == 'x') return true;
    return at[1] >= '0' && at[1] <= '9';
  }
  if (*at >= '0' && *at <= '9') return false;
  return strncasecmp(at, "inf", 3) == 0 || strncasecmp(at, "nan", 3) == 0;
}

Token Number(Input* in) {
  char* stop = nullptr;
  in->number = strtod(in->at, &stop);
  if (stop == in->at) return Fault(in, in->at, "invalid number");
  in->at = stop;
  return Token::kNumber;
}

Token Word(Input* in) {
  const char* at = in->at;
  if (*at == '-' || (*at >= '0' && *at <= '9')) {
    if (in->config->decode_invalid_numbers == 0 && IsInvalidNumber(at)) return Fault(in, at, "invalid number");
    return Number(in);
  }
  if (strncmp(at, "true", 4) == 0 || strncmp(at, "false", 5) == 0) {
    in->boolean = *at == 't';
    in->at += in->boolean ? 4 : 5;
    return Token::kBoolean;
  }
  if (strncmp(at, "null", 4) == 0) {
    in->at += 4;
    return Token::kNull;
  }
  if (in->config->decode_invalid_numbers != 0 && IsInvalidNumber(at)) return Number(in);
  return Fault(in, at, "invalid token");
}

Token Next(Input* in) {
  while (*in->at == ' ' || *in->at == '\t' || *in->at == '\n' || *in->at == '\r') in->at++;
  in->token_at = in->at;
  switch (*in->at) {
    case '{':
      in->at++;
      return Token::kObjectBegin;
    case '}':
      in->at++;
      return Token::kObjectEnd;
    case '[':
      in->at++;
      return Token::kArrayBegin;
    case ']':
      in->at++;
      return Token::kArrayEnd;
    case ',':
      in->at++;
      return Token::kComma;
    case ':':
      in->at++;
      return Token::kColon;
    case '"':
      in->at++;
      return String(in);
    case '\0':
      return Token::kEnd;
    default:
      return Word(in);
  }
}

void Refuse(Input* in, Token token, const char* expected) {
  const char* found = token == Token::kError ? in->fault : kTokenNames[static_cast<int>(token)];
  luaL_error(in->L, "Expected %s but found %s at character %d", expected, found,
             static_cast<int>(in->token_at - in->start) + 1);
}

void Value(Input* in, Token token, int depth);

void Descend(Input* in, int depth) {
  if (depth <= in->config->decode_depth_max && lua_checkstack(in->L, 4) != 0) return;
  luaL_error(in->L, "Found too many nested data structures (%d) at character %d", depth,
             static_cast<int>(in->token_at - in->start) + 1);
}

void Object(Input* in, int depth) {
  lua_State* L = in->L;
  Descend(in, depth);
  lua_newtable(L);
  Token token = Next(in);
  if (token == Token::kObjectEnd) return;
  for (;;) {
    if (token != Token::kString) Refuse(in, token, "object key string");
    token = Next(in);
    if (token != Token::kColon) Refuse(in, token, "colon");
    Value(in, Next(in), depth);
    lua_rawset(L, -3);
    token = Next(in);
    if (token == Token::kObjectEnd) return;
    if (token != Token::kComma) Refuse(in, token, "comma or object end");
    token = Next(in);
  }
}

void Array(Input* in, int depth) {
  lua_State* L = in->L;
  Descend(in, depth);
  lua_newtable(L);
  Token token = Next(in);
  if (token == Token::kArrayEnd) return;
  for (int i = 1;; i++) {
    Value(in, token, depth);
    lua_rawseti(L, -2, i);
    token = Next(in);
    if (token == Token::kArrayEnd) return;
    if (token != Token::kComma) Refuse(in, token, "comma or array end");
    token = Next(in);
  }
}

void Value(Input* in, Token token, int depth) {
  lua_State* L = in->L;
  switch (token) {
    case Token::kString:
      return;
    case Token::kNumber:
      return lua_pushnumber(L, in->number);
    case Token::kBoolean:
      return lua_pushboolean(L, in->boolean ? 1 : 0);
    case Token::kObjectBegin:
      return Object(in, depth + 1);
    case Token::kArrayBegin:
      return Array(in, depth + 1);
    case Token::kNull:
      return lua_pushlightuserdata(L, nullptr);
    default:
      Refuse(in, token, "value");
  }
}

int Decode(lua_State* L) {
  luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
  size_t length = 0;
  const char* text = luaL_checklstring(L, 1, &length);
  if (length >= 2 && (text[0] == '\0' || text[1] == '\0')) {
    return luaL_error(L, "JSON parser does not support UTF-16 or UTF-32");
  }
  Input in = {};
  in.L = L;
  in.config = ConfigOf(L);
  in.start = text;
  in.at = text;
  char small[kFirstBytes];
  in.scratch = small;
  if (length > kFirstBytes && memchr(text, '\\', length) != nullptr) {
    in.scratch = static_cast<char*>(lua_newuserdata(L, length));
  }
  Value(&in, Next(&in), 0);
  const Token token = Next(&in);
  if (token != Token::kEnd) Refuse(&in, token, "the end");
  return 1;
}

// --- settings

// Reads an optional integer argument into the setting and returns its value.
int IntegerOption(lua_State* L, int argument, int* setting, int min, int max) {
  if (!lua_isnil(L, argument)) {
    const lua_Integer value = luaL_checkinteger(L, argument);
    char text[64];
    snprintf(text, sizeof(text), "expected integer between %d and %d", min, max);
    luaL_argcheck(L, min <= value && value <= max, 1, text);
    *setting = static_cast<int>(value);
  }
  lua_pushinteger(L, *setting);
  return 1;
}

// Reads an optional boolean (or off, on, and the word, which counts as 2) into the setting and returns its value.
int ChoiceOption(lua_State* L, int argument, int* setting, const char* word) {
  if (!lua_isnil(L, argument)) {
    const char* const options[] = {"off", "on", word, nullptr};
    if (lua_isboolean(L, argument)) *setting = lua_toboolean(L, argument);
    else *setting = luaL_checkoption(L, argument, nullptr, options);
  }
  if (*setting == 2) lua_pushstring(L, word);
  else lua_pushboolean(L, *setting);
  return 1;
}

Config* Setting(lua_State* L, int arguments) {
  luaL_argcheck(L, lua_gettop(L) <= arguments, arguments + 1, "found too many arguments");
  lua_settop(L, arguments);
  return ConfigOf(L);
}

int SparseArray(lua_State* L) {
  Config* config = Setting(L, 3);
  ChoiceOption(L, 1, &config->sparse_convert, nullptr);
  IntegerOption(L, 2, &config->sparse_ratio, 0, INT32_MAX);
  IntegerOption(L, 3, &config->sparse_safe, 0, INT32_MAX);
  return 3;
}

int EncodeMaxDepth(lua_State* L) { return IntegerOption(L, 1, &Setting(L, 1)->encode_depth_max, 1, INT32_MAX); }
int DecodeMaxDepth(lua_State* L) { return IntegerOption(L, 1, &Setting(L, 1)->decode_depth_max, 1, INT32_MAX); }
int NumberPrecision(lua_State* L) { return IntegerOption(L, 1, &Setting(L, 1)->precision, 1, 14); }
int KeepBuffer(lua_State* L) { return ChoiceOption(L, 1, &Setting(L, 1)->keep_buffer, nullptr); }

int EncodeInvalidNumbers(lua_State* L) {
  return ChoiceOption(L, 1, &Setting(L, 1)->encode_invalid_numbers, "null");
}

int DecodeInvalidNumbers(lua_State* L) {
  return ChoiceOption(L, 1, &Setting(L, 1)->decode_invalid_numbers, nullptr);
}

int New(lua_State* L) {
  PushCjson(L);
  return 1;
}

}  // namespace

void PushCjson(lua_State* L) {
  constexpr luaL_Reg functions[] = {{"encode", Encode},
                                    {"decode", Decode},
                                    {"encode_sparse_array", SparseArray},
                                    {"encode_max_depth", EncodeMaxDepth},
                                    {"decode_max_depth", DecodeMaxDepth},
                                    {"encode_number_precision", NumberPrecision},
                                    {"encode_keep_buffer", KeepBuffer},
                                    {"encode_invalid_numbers", EncodeInvalidNumbers},
                                    {"decode_invalid_numbers", DecodeInvalidNumbers},
                                    {"new", New},
                                    {nullptr, nullptr}};
  lua_newtable(L);
  Config* config = static_cast<Config*>(lua_newuserdata(L, sizeof(Config)));
  *config = Config();
  for (const luaL_Reg* one = functions; one->name != nullptr; one++) {
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, one->func, 1);
    lua_setfield(L, -3, one->name);
  }
  lua_pop(L, 1);
  lua_pushlightuserdata(L, nullptr);
  lua_setfield(L, -2, "null");
  lua_pushliteral(L, "cjson");
  lua_setfield(L, -2, "_NAME");
  lua_pushliteral(L, "2.1.0");
  lua_setfield(L, -2, "_VERSION");
}

}  // namespace millrace

#include "lua_json.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <strings.h>

// JSON as Redis' cjson reads it: what it accepts beyond JSON, its limits of depth, its messages.

namespace millrace {
namespace {

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

constexpr const char* kTokenNames[] = {"T_OBJ_BEGIN", "T_OBJ_END",  "T_ARR_BEGIN", "T_ARR_END",
                                       "T_STRING",    "T_NUMBER",   "T_BOOLEAN",   "T_NULL",
                                       "T_COLON",     "T_COMMA",    "T_END",       "T_ERROR"};
// Strings with escapes in a text up to this length are put together on the C stack.
constexpr size_t kSmallBytes = 1024;

struct Input {
  lua_State* L;
  const JsonConfig* config;
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

// Whether strtod reads what is no number of JSON at `at`: hexadecimal, infinite, NaN, a leading zero or plus.
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

}  // namespace

int DecodeJson(lua_State* L) {
  luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
  size_t length = 0;
  const char* text = luaL_checklstring(L, 1, &length);
  if (length >= 2 && (text[0] == '\0' || text[1] == '\0')) {
    return luaL_error(L, "JSON parser does not support UTF-16 or UTF-32");
  }
  Input in = {};
  in.L = L;
  in.config = JsonConfigOf(L);
  in.start = text;
  in.at = text;
  char small[kSmallBytes];
  in.scratch = small;
  if (length > kSmallBytes && memchr(text, '\\', length) != nullptr) {
    in.scratch = static_cast<char*>(lua_newuserdata(L, length));
  }
  Value(&in, Next(&in), 0);
  const Token token = Next(&in);
  if (token != Token::kEnd) Refuse(&in, token, "the end");
  return 1;
}

}  // namespace millrace

#include "lua_resp.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lua_order.h"

namespace millrace {
namespace {

struct Cursor {
  const uint8_t* at;
  const uint8_t* end;
};

// The line at the cursor without its end; the cursor moves behind it.
bool Line(Cursor& cursor, const char** text, size_t* length) {
  const void* cr = memchr(cursor.at, '\r', static_cast<size_t>(cursor.end - cursor.at));
  const uint8_t* stop = static_cast<const uint8_t*>(cr);
  if (stop == nullptr || stop + 1 >= cursor.end) return false;
  *text = reinterpret_cast<const char*>(cursor.at);
  *length = static_cast<size_t>(stop - cursor.at);
  cursor.at = stop + 2;
  return true;
}

bool Integer(Cursor& cursor, int64_t* value) {
  const uint8_t* at = cursor.at;
  const bool negative = at < cursor.end && *at == '-';
  if (negative) at++;
  uint64_t sum = 0;
  while (at < cursor.end && *at >= '0' && *at <= '9') sum = sum * 10 + (*at++ - '0');
  if (at + 2 > cursor.end) return false;
  cursor.at = at + 2;
  *value = static_cast<int64_t>(negative ? 0 - sum : sum);
  return true;
}

void PushTableWith(lua_State* L, const char* field, const char* text, size_t length) {
  lua_createtable(L, 0, 1);
  lua_pushlstring(L, text, length);
  lua_setfield(L, -2, field);
}

bool Push(lua_State* L, Cursor& cursor);

bool PushBulk(lua_State* L, Cursor& cursor) {
  int64_t length = 0;
  if (!Integer(cursor, &length)) return false;
  if (length < 0) {
    lua_pushboolean(L, 0);
    return true;
  }
  if (cursor.end - cursor.at - 2 < length) return false;
  lua_pushlstring(L, reinterpret_cast<const char*>(cursor.at), static_cast<size_t>(length));
  cursor.at += length + 2;
  return true;
}

bool PushArray(lua_State* L, Cursor& cursor) {
  int64_t count = 0;
  if (!Integer(cursor, &count)) return false;
  if (count < 0) {
    lua_pushboolean(L, 0);
    return true;
  }
  if (count > cursor.end - cursor.at) return false;
  lua_createtable(L, static_cast<int>(count), 0);
  for (int64_t i = 1; i <= count; i++) {
    if (!Push(L, cursor)) return false;
    lua_rawseti(L, -2, static_cast<int>(i));
  }
  return true;
}

// {map = {…}} or, with `pairs` false, {set = {member = true, …}}.
bool PushKeyed(lua_State* L, Cursor& cursor, const char* field, bool pairs) {
  int64_t count = 0;
  if (!Integer(cursor, &count) || count > cursor.end - cursor.at) return false;
  lua_createtable(L, 0, 1);
  lua_createtable(L, 0, static_cast<int>(count));
  for (int64_t i = 0; i < count; i++) {
    if (!Push(L, cursor)) return false;
    if (!pairs) lua_pushboolean(L, 1);
    else if (!Push(L, cursor)) return false;
    if (lua_isnil(L, -2)) lua_pop(L, 2);
    else lua_rawset(L, -3);
  }
  lua_setfield(L, -2, field);
  return true;
}

bool PushVerbatim(lua_State* L, Cursor& cursor) {
  int64_t length = 0;
  if (!Integer(cursor, &length) || length < 4 || cursor.end - cursor.at - 2 < length) return false;
  const char* text = reinterpret_cast<const char*>(cursor.at);
  lua_createtable(L, 0, 1);
  lua_createtable(L, 0, 2);
  lua_pushlstring(L, text + 4, static_cast<size_t>(length - 4));
  lua_setfield(L, -2, "string");
  lua_pushlstring(L, text, 3);
  lua_setfield(L, -2, "format");
  lua_setfield(L, -2, "verbatim_string");
  cursor.at += length + 2;
  return true;
}

bool PushLine(lua_State* L, Cursor& cursor, uint8_t type) {
  const char* text = nullptr;
  size_t length = 0;
  if (!Line(cursor, &text, &length)) return false;
  switch (type) {
    case '+':
      PushTableWith(L, "ok", text, length);
      return true;
    case '-':
      PushTableWith(L, "err", text, length);
      lua_pushboolean(L, 1);
      lua_setfield(L, -2, "ignore_error_stats_update");
      return true;
    case '_':
      lua_pushnil(L);
      return true;
    case '#':
      lua_pushboolean(L, length > 0 && text[0] == 't');
      return true;
    case '(':
      PushTableWith(L, "big_number", text, length);
      return true;
    case ',':
      lua_createtable(L, 0, 1);
      // The line is ended by CR LF, which stops the conversion.
      lua_pushnumber(L, strtod(text, nullptr));
      lua_setfield(L, -2, "double");
      return true;
    default:
      return false;
  }
}

// Attributes of the value behind them: scripts do not see those.
bool SkipPairs(lua_State* L, Cursor& cursor) {
  int64_t count = 0;
  if (!Integer(cursor, &count)) return false;
  for (int64_t i = 0; i < count * 2; i++) {
    if (!Push(L, cursor)) return false;
    lua_pop(L, 1);
  }
  return true;
}

bool Push(lua_State* L, Cursor& cursor) {
  if (cursor.at >= cursor.end) return false;
  luaL_checkstack(L, 4, "reply is nested too deeply");
  const uint8_t type = *cursor.at++;
  int64_t value = 0;
  switch (type) {
    case '$':
      return PushBulk(L, cursor);
    case ':':
      if (!Integer(cursor, &value)) return false;
      lua_pushnumber(L, static_cast<lua_Number>(value));
      return true;
    case '*':
    case '>':
      return PushArray(L, cursor);
    case '%':
      return PushKeyed(L, cursor, "map", true);
    case '~':
      return PushKeyed(L, cursor, "set", false);
    case '=':
      return PushVerbatim(L, cursor);
    case '|':
      return SkipPairs(L, cursor) && Push(L, cursor);
    default:
      return PushLine(L, cursor, type);
  }
}

int64_t Whole(lua_Number number) {
  // What the conversion of x86 gives for everything it cannot represent, NaN included.
  if (!(number >= -9223372036854775808.0 && number < 9223372036854775808.0)) return INT64_MIN;
  return static_cast<int64_t>(number);
}

void WireText(lua_State* L, LuaHost* host, const char* text) { WireBytes(L, host, text, strlen(text)); }

void WireNull(lua_State* L, LuaHost* host) { WireText(L, host, host->client_protocol == 2 ? "$-1\r\n" : "_\r\n"); }

void WireBoolean(lua_State* L, LuaHost* host, bool value) {
  if (host->script_protocol == 2) {
    if (value) WireText(L, host, ":1\r\n");
    else WireNull(L, host);
  } else if (host->client_protocol == 2) {
    WireText(L, host, value ? ":1\r\n" : ":0\r\n");
  } else {
    WireText(L, host, value ? "#t\r\n" : "#f\r\n");
  }
}

// A line of its own: what would end it becomes a blank.
void WireLine(lua_State* L, LuaHost* host, const char* prefix, const char* text, size_t length) {
  WireText(L, host, prefix);
  const size_t from = host->wire_used;
  WireBytes(L, host, text, length);
  for (size_t i = from; i < host->wire_used; i++) {
    if (host->wire[i] == '\r' || host->wire[i] == '\n') host->wire[i] = ' ';
  }
  WireText(L, host, "\r\n");
}

void WireDouble(lua_State* L, LuaHost* host, lua_Number number) {
  char text[64];
  int length = 0;
  if (std::isinf(number)) length = snprintf(text, sizeof(text), "%s", number > 0 ? "inf" : "-inf");
  else length = snprintf(text, sizeof(text), "%.17g", number);
  if (host->client_protocol == 2) WireBulk(L, host, text, static_cast<size_t>(length));
  else WireLine(L, host, ",", text, static_cast<size_t>(length));
}

// Pushes the table's own member and says whether it has that type; pops it otherwise.
bool Member(lua_State* L, const char* name, int type) {
  lua_pushstring(L, name);
  lua_rawget(L, -2);
  if (lua_type(L, -1) == type) return true;
  lua_pop(L, 1);
  return false;
}

void WireMap(lua_State* L, LuaHost* host, bool pairs) {
  const MemberOrder order(L);
  const int64_t count = static_cast<int64_t>(order.Count());
  if (host->client_protocol == 2) WireHeader(L, host, '*', pairs ? count * 2 : count);
  else WireHeader(L, host, pairs ? '%' : '~', count);
  for (size_t i = 0; i < order.Count(); i++) {
    order.Push(L, i);
    lua_insert(L, -2);
    WireResult(L, host);
    if (pairs) WireResult(L, host);
    else lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

bool WireVerbatim(lua_State* L, LuaHost* host) {
  if (!Member(L, "string", LUA_TSTRING)) return false;
  size_t length = 0;
  const char* text = lua_tolstring(L, -1, &length);
  lua_pushliteral(L, "format");
  lua_rawget(L, -3);
  const char* format = lua_tostring(L, -1);
  if (lua_type(L, -1) != LUA_TSTRING || strlen(format) == 0) {
    lua_pop(L, 2);
    return false;
  }
  if (host->client_protocol == 2) {
    WireBulk(L, host, text, length);
  } else {
    char three[3] = {' ', ' ', ' '};
    for (int i = 0; i < 3 && format[i] != '\0'; i++) three[i] = format[i];
    WireHeader(L, host, '=', static_cast<int64_t>(length + 4));
    WireBytes(L, host, three, 3);
    WireText(L, host, ":");
    WireBytes(L, host, text, length);
    WireText(L, host, "\r\n");
  }
  lua_pop(L, 2);
  return true;
}

void WireArray(lua_State* L, LuaHost* host) {
  const int table = lua_gettop(L);
  int count = 0;
  for (;;) {
    lua_rawgeti(L, table, count + 1);
    const bool end = lua_isnil(L, -1);
    lua_pop(L, 1);
    if (end) break;
    count++;
  }
  WireHeader(L, host, '*', count);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, table, i);
    WireResult(L, host);
  }
}

// Writes the table on the top if it is one of those that stand for something else; they hold one member of that name.
bool WireSpecial(lua_State* L, LuaHost* host) {
  size_t length = 0;
  if (Member(L, "err", LUA_TSTRING)) {
    const char* text = lua_tostring(L, -1);
    WireLine(L, host, "-", text, strlen(text));
  } else if (Member(L, "ok", LUA_TSTRING)) {
    const char* text = lua_tostring(L, -1);
    WireLine(L, host, "+", text, strlen(text));
  } else if (Member(L, "double", LUA_TNUMBER)) {
    WireDouble(L, host, lua_tonumber(L, -1));
  } else if (Member(L, "map", LUA_TTABLE)) {
    WireMap(L, host, true);
  } else if (Member(L, "set", LUA_TTABLE)) {
    WireMap(L, host, false);
  } else if (Member(L, "big_number", LUA_TSTRING)) {
    const char* text = lua_tolstring(L, -1, &length);
    if (host->client_protocol == 2) WireHeader(L, host, '$', static_cast<int64_t>(length));
    WireLine(L, host, host->client_protocol == 2 ? "" : "(", text, length);
  } else if (Member(L, "verbatim_string", LUA_TTABLE)) {
    if (!WireVerbatim(L, host)) {
      lua_pop(L, 1);
      return false;
    }
  } else {
    return false;
  }
  lua_pop(L, 1);
  return true;
}

}  // namespace

bool PushReply(lua_State* L, const uint8_t* reply, size_t length) {
  Cursor cursor{reply, reply + length};
  return Push(L, cursor) && cursor.at == cursor.end;
}

void WireResult(lua_State* L, LuaHost* host) {
  if (lua_checkstack(L, 8) == 0) {
    WireText(L, host, "-ERR reached lua stack limit\r\n");
    lua_pop(L, 1);
    return;
  }
  size_t length = 0;
  switch (lua_type(L, -1)) {
    case LUA_TSTRING: {
      const char* text = lua_tolstring(L, -1, &length);
      WireBulk(L, host, text, length);
      break;
    }
    case LUA_TBOOLEAN:
      WireBoolean(L, host, lua_toboolean(L, -1) != 0);
      break;
    case LUA_TNUMBER:
      WireHeader(L, host, ':', Whole(lua_tonumber(L, -1)));
      break;
    case LUA_TTABLE:
      if (!WireSpecial(L, host)) WireArray(L, host);
      break;
    default:
      WireNull(L, host);
  }
  lua_pop(L, 1);
}

int64_t ArgumentReader::Header(char type) {
  if (at_ >= end_ || *at_ != static_cast<uint8_t>(type)) return -1;
  int64_t value = 0;
  for (at_++; at_ < end_ && *at_ >= '0' && *at_ <= '9'; at_++) value = value * 10 + (*at_ - '0');
  if (end_ - at_ < 2) return -1;
  at_ += 2;
  return value;
}

bool ArgumentReader::Next(const char** bytes, size_t* length) {
  const int64_t size = Header('$');
  if (size < 0 || end_ - at_ < size + 2) return false;
  *bytes = reinterpret_cast<const char*>(at_);
  *length = static_cast<size_t>(size);
  at_ += size + 2;
  return true;
}

}  // namespace millrace

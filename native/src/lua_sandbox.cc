#include "lua_sandbox.h"

#include <cstdint>
#include <cstring>

#include "lua_cjson.h"
#include "lua_cmsgpack.h"
#include "lua_host.h"
#include "lua_interrupt.h"
#include "lua_redis_api.h"
#include "lua_source.h"
#include "lua_struct.h"

namespace millrace {
namespace {

constexpr char kReadOnly[] = "Attempt to modify a readonly table";
// Its address is the key under which a proxy's metatable keeps the real table.
char real_table_key;

// Pushes the real table behind the proxy at `index` and returns true; pushes nothing otherwise.
bool PushReal(lua_State* L, int index) {
  if (!lua_istable(L, index) || lua_getmetatable(L, index) == 0) return false;
  lua_pushlightuserdata(L, &real_table_key);
  lua_rawget(L, -2);
  lua_remove(L, -2);
  if (lua_istable(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

int RaiseReadOnly(lua_State* L) {
  lua_pushlstring(L, kReadOnly, sizeof(kReadOnly) - 1);
  return lua_error(L);
}

void RefuseProxy(lua_State* L, int index) {
  if (!PushReal(L, index)) return;
  RaiseReadOnly(L);
}

int NewIndex(lua_State* L) { return luaL_error(L, kReadOnly); }

int UnknownGlobal(lua_State* L) {
  const char* name = lua_tostring(L, 2);
  return luaL_error(L, "Script attempted to access nonexistent global variable '%s'", name == nullptr ? "?" : name);
}

int RawSet(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  luaL_checkany(L, 3);
  RefuseProxy(L, 1);
  lua_settop(L, 3);
  lua_rawset(L, 1);
  return 1;
}

int RawGet(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  if (PushReal(L, 1)) lua_replace(L, 1);
  lua_rawget(L, 1);
  return 1;
}

int SetMetatable(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const int type = lua_type(L, 2);
  if (type != LUA_TNIL && type != LUA_TTABLE) luaL_argerror(L, 2, "nil or table expected");
  RefuseProxy(L, 1);
  if (luaL_getmetafield(L, 1, "__metatable") != 0) return luaL_error(L, "cannot change a protected metatable");
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

int GetMetatable(lua_State* L) {
  luaL_checkany(L, 1);
  if (lua_getmetatable(L, 1) == 0) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushliteral(L, "__metatable");
  lua_rawget(L, -2);
  // Proxies say false: nobody shall see how they are made.
  if (lua_isboolean(L, -1)) lua_pushnil(L);
  else if (lua_isnil(L, -1)) lua_pop(L, 1);
  return 1;
}

int Next(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  if (PushReal(L, 1)) lua_replace(L, 1);
  if (lua_next(L, 1) != 0) return 2;
  lua_pushnil(L);
  return 1;
}

// Upvalue: LuaJIT's own `next`, which its loops know and run without a call.
int Pairs(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  const bool proxy = PushReal(L, 1);
  if (proxy) lua_pop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(proxy ? 2 : 1));
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

int TableInsert(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  RefuseProxy(L, 1);
  const int end = static_cast<int>(lua_objlen(L, 1)) + 1;
  const int count = lua_gettop(L);
  if (count == 2) {
    lua_rawseti(L, 1, end);
    return 0;
  }
  if (count != 3) return luaL_error(L, "wrong number of arguments to 'insert'");
  const int position = luaL_checkint(L, 2);
  for (int i = position > end ? position : end; i > position; i--) {
    lua_rawgeti(L, 1, i - 1);
    lua_rawseti(L, 1, i);
  }
  lua_rawseti(L, 1, position);
  return 0;
}

int TableSetN(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  return luaL_error(L, "'setn' is obsolete");
}

// Upvalue: the function it guards.
int RefuseThenCall(lua_State* L) {
  RefuseProxy(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

int LoadString(lua_State* L) {
  size_t length = 0;
  const char* source = luaL_checklstring(L, 1, &length);
  const char* name = luaL_optstring(L, 2, source);
  if (CompileText(L, source, length, name) == 0) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

// load(function [, name]): the pieces that the function returns, until nil or an empty one.
int Load(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  const char* name = luaL_optstring(L, 2, "=(load)");
  lua_settop(L, 2);
  lua_newtable(L);
  int pieces = 0;
  for (;;) {
    lua_pushvalue(L, 1);
    lua_call(L, 0, 1);
    // A function that is no Lua could go on for ever without an instruction.
    if (HostOf(L)->watchdog.Due()) Interrupt(L, nullptr);
    if (lua_isnil(L, -1)) break;
    size_t length = 0;
    if (lua_tolstring(L, -1, &length) == nullptr) return luaL_error(L, "reader function must return a string");
    if (length == 0) break;
    lua_rawseti(L, 3, ++pieces);
  }
  lua_settop(L, 3);
  luaL_Buffer whole;
  luaL_buffinit(L, &whole);
  for (int i = 1; i <= pieces; i++) {
    lua_rawgeti(L, 3, i);
    luaL_addvalue(&whole);
  }
  luaL_pushresult(&whole);
  size_t length = 0;
  const char* source = lua_tolstring(L, -1, &length);
  if (CompileText(L, source, length, name) == 0) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

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

constexpr const char* kGlobals[] = {"_VERSION", "assert", "collectgarbage", "error",  "gcinfo", "ipairs", "rawequal",
                                    "select",   "tonumber", "tostring",     "type",   "unpack"};
constexpr const char* kStrings[] = {"byte", "char", "dump",  "find", "format",  "gmatch", "gsub",
                                    "len",  "lower", "match", "rep",  "reverse", "sub",    "upper"};
constexpr const char* kTables[] = {"concat", "foreach", "foreachi", "getn", "maxn"};
constexpr const char* kMath[] = {
    "abs",  "acos", "asin",   "atan",       "atan2", "ceil", "cos",  "cosh", "deg",   "exp",
    "fmod", "huge", "floor",  "frexp",      "ldexp", "log",  "max",  "min",  "log10", "modf",
    "pi",   "pow",  "random", "randomseed", "rad",   "sin",  "sinh", "sqrt", "tan",   "tanh"};
constexpr const char* kBits[] = {"arshift", "band", "bnot", "bor", "bswap",  "bxor",
                                 "lshift",  "rol",  "ror",  "rshift", "tobit"};
constexpr const char* kCoroutines[] = {"create", "resume", "running", "status", "wrap", "yield"};

// Pushes a table with the named members of the table at `from`.
template <size_t N>
void Pick(lua_State* L, int from, const char* const (&names)[N]) {
  lua_newtable(L);
  for (const char* name : names) {
    lua_getfield(L, from, name);
    lua_setfield(L, -2, name);
  }
}

// Pushes a library of LuaJIT reduced to the named members. `all` is LuaJIT's table of globals.
template <size_t N>
void PickLibrary(lua_State* L, int all, const char* library, const char* const (&names)[N]) {
  lua_getfield(L, all, library);
  Pick(L, lua_gettop(L), names);
  lua_remove(L, -2);
}

void SetFunction(lua_State* L, const char* name, lua_CFunction function) {
  lua_pushcfunction(L, function);
  lua_setfield(L, -2, name);
}

// Wraps member `name` of the table on the top.
void Guard(lua_State* L, const char* name) {
  lua_getfield(L, -1, name);
  lua_pushcclosure(L, RefuseThenCall, 1);
  lua_setfield(L, -2, name);
}

void OpenLibrary(lua_State* L, const char* name, lua_CFunction open) {
  lua_pushcfunction(L, open);
  lua_pushstring(L, name);
  lua_call(L, 1, 0);
}

void AddStrings(lua_State* L, int all, int globals) {
  PickLibrary(L, all, LUA_STRLIBNAME, kStrings);
  lua_getfield(L, -1, "gmatch");
  lua_setfield(L, -2, "gfind");
  // ("x"):rep() and the like must reach our table, and nobody may change it through getmetatable("").
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_newtable(L);
  lua_pushvalue(L, -4);
  Protect(L);
  lua_setfield(L, -2, "__index");
  Protect(L);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
  Protect(L);
  lua_setfield(L, globals, LUA_STRLIBNAME);
}

void AddTables(lua_State* L, int all, int globals) {
  PickLibrary(L, all, LUA_TABLIBNAME, kTables);
  SetFunction(L, "insert", TableInsert);
  SetFunction(L, "setn", TableSetN);
  for (const char* name : {"remove", "sort"}) {
    lua_getfield(L, all, LUA_TABLIBNAME);
    lua_getfield(L, -1, name);
    lua_setfield(L, -3, name);
    lua_pop(L, 1);
  }
  Guard(L, "foreach");
  Protect(L);
  lua_setfield(L, globals, LUA_TABLIBNAME);
}

void AddMath(lua_State* L, int all, int globals) {
  PickLibrary(L, all, LUA_MATHLIBNAME, kMath);
  lua_getfield(L, -1, "fmod");
  lua_setfield(L, -2, "mod");
  Protect(L);
  lua_setfield(L, globals, LUA_MATHLIBNAME);
}

void AddBase(lua_State* L, int all) {
  lua_getfield(L, all, "next");
  lua_pushcfunction(L, Next);
  lua_pushcclosure(L, Pairs, 2);
  lua_setfield(L, -2, "pairs");
  SetFunction(L, "next", Next);
  SetFunction(L, "rawset", RawSet);
  SetFunction(L, "rawget", RawGet);
  SetFunction(L, "setmetatable", SetMetatable);
  SetFunction(L, "getmetatable", GetMetatable);
  SetFunction(L, "loadstring", LoadString);
  SetFunction(L, "load", Load);
  SetFunction(L, "pcall", ProtectedCallOfScript);
  SetFunction(L, "xpcall", HandledCallOfScript);
}

}  // namespace

void Protect(lua_State* L) {
  lua_newtable(L);
  lua_createtable(L, 0, 4);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, NewIndex);
  lua_setfield(L, -2, "__newindex");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushlightuserdata(L, &real_table_key);
  lua_pushvalue(L, -4);
  lua_rawset(L, -3);
  lua_setmetatable(L, -2);
  lua_remove(L, -2);
}

int CompileText(lua_State* L, const char* source, size_t length, const char* chunk_name) {
  size_t mended_length = 0;
  const char* mended = MendSource(L, source, length, &mended_length);
  int status = luaL_loadbufferx(L, mended, mended_length, chunk_name, "t");
  if (status == LUA_ERRSYNTAX && mended != source) {
    // The message must quote the text as it was written, unless only the mended one is wrong.
    status = luaL_loadbufferx(L, source, length, chunk_name, "t");
    lua_remove(L, status == 0 ? -1 : -2);
    status = LUA_ERRSYNTAX;
  }
  if (mended != source) lua_remove(L, -2);
  return status;
}

void OpenSandbox(lua_State* L) {
  OpenLibrary(L, "", luaopen_base);
  OpenLibrary(L, LUA_TABLIBNAME, luaopen_table);
  OpenLibrary(L, LUA_STRLIBNAME, luaopen_string);
  OpenLibrary(L, LUA_MATHLIBNAME, luaopen_math);
  OpenLibrary(L, LUA_BITLIBNAME, luaopen_bit);
  lua_pushvalue(L, LUA_GLOBALSINDEX);
  const int all = lua_gettop(L);

  Pick(L, all, kGlobals);
  const int globals = lua_gettop(L);
  AddBase(L, all);
  AddStrings(L, all, globals);
  AddTables(L, all, globals);
  AddMath(L, all, globals);
  PickLibrary(L, all, LUA_BITLIBNAME, kBits);
  lua_getfield(L, -1, "tobit");
  lua_pushcclosure(L, ToHex, 1);
  lua_setfield(L, -2, "tohex");
  Protect(L);
  lua_setfield(L, globals, LUA_BITLIBNAME);
  PickLibrary(L, all, LUA_COLIBNAME, kCoroutines);
  Protect(L);
  lua_setfield(L, globals, LUA_COLIBNAME);
  PushRedisApi(L);
  Protect(L);
  lua_setfield(L, globals, "redis");
  PushCjson(L);
  Protect(L);
  lua_setfield(L, globals, "cjson");
  PushCmsgpack(L);
  Protect(L);
  lua_setfield(L, globals, "cmsgpack");
  PushStruct(L);
  Protect(L);
  lua_setfield(L, globals, "struct");

  // Names that are not there are an error, found after the proxy has looked into the real table.
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, UnknownGlobal);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, globals);
  lua_pushvalue(L, globals);
  HostOf(L)->globals_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushvalue(L, globals);
  Protect(L);
  // getmetatable(_G) shows one, in Redis too; it cannot be changed either.
  lua_getmetatable(L, -1);
  lua_getmetatable(L, globals);
  Protect(L);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, globals, "_G");
  lua_replace(L, LUA_GLOBALSINDEX);
  lua_settop(L, 0);
}

}  // namespace millrace

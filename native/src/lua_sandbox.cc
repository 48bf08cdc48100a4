#include "lua_sandbox.h"

#include <cstdint>
#include <cstring>

#include "lua_cjson.h"
#include "lua_cmsgpack.h"
#include "lua_host.h"
#include "lua_interrupt.h"
#include "lua_library.h"
#include "lua_nesting.h"
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

// Upvalue: table.foreach.
int ForEach(lua_State* L) {
  RefuseProxy(L, 1);
  return CallDeeper(L);
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
    Enter(L);
    lua_call(L, 0, 1);
    Leave(L);
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

// Pushes the function that getfenv or setfenv is about: the first argument, or the one at that level of the stack.
void PushFunctionAt(lua_State* L) {
  if (lua_isfunction(L, 1)) return lua_pushvalue(L, 1);
  const int level = lua_isnoneornil(L, 1) ? 1 : luaL_checkint(L, 1);
  luaL_argcheck(L, level >= 0, 1, "level must be non-negative");
  lua_Debug where;
  if (level == 0 || lua_getstack(L, level, &where) == 0) {
    luaL_argerror(L, 1, "invalid level");
    return;
  }
  lua_getinfo(L, "f", &where);
}

// Functions in C have the interpreter's own globals, which no script may see: they say that they have ours.
int GetEnvironment(lua_State* L) {
  const bool thread = lua_type(L, 1) == LUA_TNUMBER && lua_tonumber(L, 1) == 0;
  if (!thread) PushFunctionAt(L);
  if (thread || lua_iscfunction(L, -1) != 0) lua_pushvalue(L, LUA_GLOBALSINDEX);
  else lua_getfenv(L, -1);
  return 1;
}

int SetEnvironment(lua_State* L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  // The environment of the thread would outlive the script.
  const bool thread = lua_type(L, 1) == LUA_TNUMBER && lua_tonumber(L, 1) == 0;
  if (!thread) PushFunctionAt(L);
  if (thread || lua_iscfunction(L, -1) != 0) {
    return luaL_error(L, "'setfenv' cannot change environment of given object");
  }
  lua_pushvalue(L, 2);
  lua_setfenv(L, -2);
  return 1;
}

constexpr const char* kGlobals[] = {"_VERSION", "assert", "collectgarbage", "error",  "gcinfo", "ipairs", "rawequal",
                                    "select",   "tonumber", "tostring",     "type",   "unpack"};
constexpr const char* kStrings[] = {"byte", "char", "dump",  "find", "gmatch",
                                    "len",  "lower", "match", "rep",  "reverse", "sub",    "upper"};
constexpr const char* kTables[] = {"concat", "foreach", "foreachi", "getn", "maxn", "remove"};
constexpr const char* kMath[] = {
    "abs",  "acos", "asin",   "atan",       "atan2", "ceil", "cos",  "cosh", "deg",   "exp",
    "fmod", "huge", "floor",  "frexp",      "ldexp", "log",  "max",  "min",  "log10", "modf",
    "pi",   "pow",  "rad",   "sin",  "sinh", "sqrt", "tan",   "tanh"};
constexpr const char* kBits[] = {"arshift", "band", "bnot", "bor", "bswap",  "bxor",
                                 "lshift",  "rol",  "ror",  "rshift", "tobit"};
constexpr const char* kCoroutines[] = {"running", "status", "yield"};

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

// Has member `name` of the table on the top called by `wrapper`.
void Wrap(lua_State* L, const char* name, lua_CFunction wrapper) {
  lua_getfield(L, -1, name);
  lua_pushcclosure(L, wrapper, 1);
  lua_setfield(L, -2, name);
}

// Pushes gsub or sort with the function that it calls bounded. They are called from Lua, as the last thing, so that
// their errors name the place of the script.
void PushBounded(lua_State* L, int all, const char* library, const char* name) {
  constexpr char kSource[] =
      "local inner, bound, kind = ... "
      "if kind == 'sort' then return function(t, f) "
      "if t == nil then return inner() end return inner(t, bound(f, t)) end end "
      "return function(s, p, r, ...) "
      "if p == nil then if s == nil then return inner() end return inner(s) end "
      "return inner(s, p, bound(r), ...) end";
  if (luaL_loadbuffer(L, kSource, sizeof(kSource) - 1, "=bounded") != 0) lua_error(L);
  lua_getfield(L, all, library);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
  lua_pushcfunction(L, Bound);
  lua_pushstring(L, name);
  lua_call(L, 3, 1);
  lua_newtable(L);
  lua_setfenv(L, -2);
}

void OpenLibrary(lua_State* L, const char* name, lua_CFunction open) {
  lua_pushcfunction(L, open);
  lua_pushstring(L, name);
  lua_call(L, 1, 0);
}

void AddStrings(lua_State* L, int all, int globals) {
  PickLibrary(L, all, LUA_STRLIBNAME, kStrings);
  PushBounded(L, all, LUA_STRLIBNAME, "gsub");
  lua_setfield(L, -2, "gsub");
  SetFunction(L, "format", Format);
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
  Wrap(L, "foreach", ForEach);
  Wrap(L, "foreachi", CallDeeper);
  PushBounded(L, all, LUA_TABLIBNAME, "sort");
  lua_setfield(L, -2, "sort");
  Protect(L);
  lua_setfield(L, globals, LUA_TABLIBNAME);
}

void AddMath(lua_State* L, int all, int globals) {
  PickLibrary(L, all, LUA_MATHLIBNAME, kMath);
  lua_getfield(L, -1, "fmod");
  lua_setfield(L, -2, "mod");
  SetFunction(L, "random", Random);
  SetFunction(L, "randomseed", RandomSeed);
  SeedRandom(L);
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
  if (!HostOf(L)->deprecated) return;
  SetFunction(L, "getfenv", GetEnvironment);
  SetFunction(L, "setfenv", SetEnvironment);
  lua_getfield(L, all, "newproxy");
  lua_setfield(L, -2, "newproxy");
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
  SetFunction(L, "create", CreateCoroutine);
  SetFunction(L, "resume", ResumeCoroutine);
  SetFunction(L, "wrap", WrapCoroutine);
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

#include "lua_nesting.h"

#include "lua_host.h"
#include "lua_interrupt.h"

namespace millrace {
namespace {

constexpr int kDepthMax = 200;
// V8 gives JavaScript a little less than 1 MiB from where the thread began.
constexpr size_t kStackBytesMax = 600 * 1024;
constexpr char kTooDeep[] = "C stack overflow";

bool IsTooDeep(const LuaHost* host, int depth_max = kDepthMax - 1) {
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  return host->depth >= depth_max || static_cast<size_t>(host->stack_base - here) > kStackBytesMax;
}

// Upvalue: the handler of xpcall. It must not see the end of a script: it would run inside the hook, where no other
// hook is called, for as long as it likes.
int Handle(lua_State* L) {
  if (HostOf(L)->killed != nullptr) return 1;
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

// lua_pcall, one deeper. When that is too deep, the error is caught here already.
int Protect(lua_State* L, int arguments, int handler) {
  LuaHost* host = HostOf(L);
  if (IsTooDeep(host)) {
    lua_settop(L, handler);
    lua_pushlstring(L, kTooDeep, sizeof(kTooDeep) - 1);
    return LUA_ERRRUN;
  }
  const int depth = host->depth++;
  const int status = lua_pcall(L, arguments, LUA_MULTRET, handler);
  host->depth = depth;
  RaiseIfKilled(L);
  return status;
}

// Why `coroutine` cannot be resumed, or nullptr.
const char* StatusOf(lua_State* L, lua_State* coroutine) {
  if (coroutine == L) return "running";
  const int status = lua_status(coroutine);
  if (status == LUA_YIELD) return nullptr;
  if (status != 0) return "dead";
  lua_Debug where;
  if (lua_getstack(coroutine, 0, &where) != 0) return "normal";
  return lua_gettop(coroutine) == 0 ? "dead" : nullptr;
}

// Resumes with the `arguments` on the top; the results, or one error and a negative number, take their place.
int Resume(lua_State* L, lua_State* coroutine, int arguments) {
  LuaHost* host = HostOf(L);
  const char* status = StatusOf(L, coroutine);
  if (status != nullptr) {
    lua_pushfstring(L, "cannot resume %s coroutine", status);
    return -1;
  }
  if (lua_checkstack(coroutine, arguments) == 0) return luaL_error(L, "too many arguments to resume");
  if (IsTooDeep(host, kDepthMax)) {
    lua_pushlstring(L, kTooDeep, sizeof(kTooDeep) - 1);
    return -1;
  }
  lua_xmove(L, coroutine, arguments);
  const int depth = host->depth++;
  const int ended = lua_resume(coroutine, arguments);
  host->depth = depth;
  RaiseIfKilled(L);
  if (ended != 0 && ended != LUA_YIELD) {
    lua_xmove(coroutine, L, 1);
    return -1;
  }
  const int results = lua_gettop(coroutine);
  if (lua_checkstack(L, results + 1) == 0) return luaL_error(L, "too many results to resume");
  lua_xmove(coroutine, L, results);
  return results;
}

// Upvalue: the coroutine.
int ResumeWrapped(lua_State* L) {
  const int results = Resume(L, lua_tothread(L, lua_upvalueindex(1)), lua_gettop(L));
  if (results >= 0) return results;
  if (lua_isstring(L, -1) != 0) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

// Upvalue: the table in which gsub looks for what to put in.
int LookUp(lua_State* L) {
  Enter(L);
  lua_settop(L, 1);
  lua_gettable(L, lua_upvalueindex(1));
  Leave(L);
  return 1;
}

// The order of sort, for tables that have one of their own.
int IsLess(lua_State* L) {
  Enter(L);
  lua_pushboolean(L, lua_lessthan(L, 1, 2));
  Leave(L);
  return 1;
}

}  // namespace

void BeginNesting(lua_State* L) {
  LuaHost* host = HostOf(L);
  host->depth = 1;
  host->stack_base = static_cast<const char*>(__builtin_frame_address(0));
}

void Enter(lua_State* L) {
  LuaHost* host = HostOf(L);
  if (IsTooDeep(host)) {
    lua_pushlstring(L, kTooDeep, sizeof(kTooDeep) - 1);
    lua_error(L);
  }
  host->depth++;
}

void Leave(lua_State* L) { HostOf(L)->depth--; }

// A command's error object becomes its text, as scripts written before Redis 7 expect.
int ProtectedCallOfScript(lua_State* L) {
  luaL_checkany(L, 1);
  const int status = Protect(L, lua_gettop(L) - 1, 0);
  if (status == 0) {
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    return lua_gettop(L);
  }
  if (lua_istable(L, -1)) {
    lua_pushliteral(L, "err");
    lua_rawget(L, -2);
    // What else the member holds, nothing mostly, comes as a third value.
    if (lua_isstring(L, -1)) lua_remove(L, -2);
  }
  lua_pushboolean(L, 0);
  lua_insert(L, 1);
  return lua_gettop(L);
}

int HandledCallOfScript(lua_State* L) {
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  lua_pushcclosure(L, Handle, 1);
  lua_insert(L, 1);
  const int status = Protect(L, 0, 1);
  lua_pushboolean(L, status == 0);
  lua_replace(L, 1);
  return lua_gettop(L);
}

int ResumeCoroutine(lua_State* L) {
  lua_State* coroutine = lua_tothread(L, 1);
  luaL_argcheck(L, coroutine != nullptr, 1, "coroutine expected");
  const int results = Resume(L, coroutine, lua_gettop(L) - 1);
  lua_pushboolean(L, results >= 0);
  const int count = results >= 0 ? results : 1;
  lua_insert(L, -(count + 1));
  return count + 1;
}

int CreateCoroutine(lua_State* L) {
  luaL_argcheck(L, lua_isfunction(L, 1) && lua_iscfunction(L, 1) == 0, 1, "Lua function expected");
  lua_State* coroutine = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, coroutine, 1);
  return 1;
}

int WrapCoroutine(lua_State* L) {
  CreateCoroutine(L);
  lua_pushcclosure(L, ResumeWrapped, 1);
  return 1;
}

int Bound(lua_State* L) {
  const bool sorts = lua_gettop(L) == 2;
  if (lua_isfunction(L, 1)) {
    lua_settop(L, 1);
    lua_pushcclosure(L, CallDeeper, 1);
  } else if (!sorts && lua_istable(L, 1) && lua_getmetatable(L, 1) != 0) {
    lua_settop(L, 1);
    lua_pushcclosure(L, LookUp, 1);
  } else if (sorts && lua_isnil(L, 1) && lua_istable(L, 2)) {
    // When the first is none of these, sort has compared it with one that is, and failed, before it compares two.
    lua_rawgeti(L, 2, 1);
    const bool tables = lua_istable(L, -1) || lua_isuserdata(L, -1);
    lua_settop(L, 1);
    if (tables) lua_pushcfunction(L, IsLess);
  } else {
    lua_settop(L, 1);
  }
  return 1;
}

int CallDeeper(lua_State* L) {
  Enter(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  Leave(L);
  return lua_gettop(L);
}

}  // namespace millrace

#include "lua_interrupt.h"

#include "lua_host.h"
#include "lua_redis_api.h"

namespace millrace {
namespace {

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

}  // namespace

void Interrupt(lua_State* L, lua_Debug*) {
  LuaHost* host = HostOf(L);
  if (host->killed == nullptr) {
    const int32_t verdict = InvokePlain(host, kServiceBusy);
    if (verdict == 0) {
      host->watchdog.Rest();
      return;
    }
    host->killed = verdict == 1 ? "Script killed by user with SCRIPT KILL..." : "FUNCTION LOAD timeout";
    host->watchdog.Insist();
  }
  RaiseIfKilled(L);
}

void RaiseIfKilled(lua_State* L) {
  const char* killed = HostOf(L)->killed;
  if (killed == nullptr) return;
  PushError(L, killed);
  lua_error(L);
}

// A command's error object becomes its text, as scripts written before Redis 7 expect.
int ProtectedCallOfScript(lua_State* L) {
  luaL_checkany(L, 1);
  const int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  RaiseIfKilled(L);
  if (status == 0) {
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    return lua_gettop(L);
  }
  if (lua_istable(L, -1)) {
    lua_pushliteral(L, "err");
    lua_rawget(L, -2);
    if (lua_isstring(L, -1)) lua_remove(L, -2);
    else lua_pop(L, 1);
  }
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

int HandledCallOfScript(lua_State* L) {
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  lua_pushcclosure(L, Handle, 1);
  lua_insert(L, 1);
  const int status = lua_pcall(L, 0, LUA_MULTRET, 1);
  RaiseIfKilled(L);
  lua_pushboolean(L, status == 0);
  lua_replace(L, 1);
  return lua_gettop(L);
}

}  // namespace millrace

#include "lua_interrupt.h"

#include "lua_host.h"
#include "lua_redis_api.h"

namespace millrace {

void Interrupt(lua_State* L, lua_Debug*) {
  LuaHost* host = HostOf(L);
  if (host->killed == nullptr) {
    const int32_t verdict = InvokePlain(host, kServiceBusy);
    if (verdict == 0) return host->watchdog.Rest();
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

}  // namespace millrace

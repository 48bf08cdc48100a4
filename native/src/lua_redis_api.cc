#include "lua_redis_api.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "lua_host.h"
#include "lua_resp.h"
#include "lua_sandbox.h"

namespace millrace {
namespace {

constexpr char kNoArguments[] = "Please specify at least one argument for this redis lib call";
constexpr char kWrongType[] = "Lua redis lib command arguments must be strings or integers";

int RaiseText(lua_State* L, const char* text) {
  PushError(L, text);
  return lua_error(L);
}

void WireNumber(lua_State* L, LuaHost* host, lua_Number number) {
  char text[64];
  int length = 0;
  const int64_t whole = std::fabs(number) < 1e15 ? static_cast<int64_t>(number) : 0;
  if (whole != 0 && static_cast<lua_Number>(whole) == number) {
    length = snprintf(text, sizeof(text), "%lld", static_cast<long long>(whole));
  } else if (std::isnan(number)) {
    // Of a NaN, LuaJIT keeps no sign; x86 makes it negative.
    length = snprintf(text, sizeof(text), "-nan");
  } else {
    length = snprintf(text, sizeof(text), "%.17g", number);
  }
  WireBulk(L, host, text, static_cast<size_t>(length));
}

// Writes the arguments of the running C function from `first` on. False when one is neither string nor number.
bool WireArguments(lua_State* L, LuaHost* host, int first) {
  const int last = lua_gettop(L);
  host->wire_used = 0;
  WireHeader(L, host, '*', last - first + 1);
  for (int i = first; i <= last; i++) {
    const int type = lua_type(L, i);
    if (type == LUA_TSTRING) {
      size_t length = 0;
      const char* bytes = lua_tolstring(L, i, &length);
      WireBulk(L, host, bytes, length);
    } else if (type == LUA_TNUMBER) {
      WireNumber(L, host, lua_tonumber(L, i));
    } else {
      return false;
    }
  }
  return true;
}

// Asks TypeScript with what is on the wire and pushes its answer.
void Ask(lua_State* L, LuaHost* host, Service service) {
  const uint8_t* reply = nullptr;
  size_t length = 0;
  if (!Invoke(host, service, &reply, &length) || !PushReply(L, reply, length)) {
    RaiseText(L, "internal error while a script was running");
  }
}

bool IsError(lua_State* L) {
  if (!lua_istable(L, -1)) return false;
  lua_pushliteral(L, "err");
  lua_rawget(L, -2);
  const bool error = lua_isstring(L, -1) != 0;
  lua_pop(L, 1);
  return error;
}

int Command(lua_State* L, Service service, bool raise) {
  LuaHost* host = HostOf(L);
  if (host->loading_library) {
    PushError(L, "redis.call/pcall can only be called inside a script invocation");
  } else if (lua_gettop(L) == 0) {
    PushError(L, kNoArguments);
  } else if (!WireArguments(L, host, 1)) {
    PushError(L, kWrongType);
  } else {
    // A script may have filled the stack with arguments; the reply needs room.
    lua_settop(L, 0);
    Ask(L, host, service);
  }
  if (raise && IsError(L)) return lua_error(L);
  return 1;
}

int Call(lua_State* L) { return Command(L, kServiceCommand, true); }
int ProtectedCall(lua_State* L) { return Command(L, kServiceCommand, false); }
int AclCheck(lua_State* L) { return Command(L, kServiceAclCheck, true); }

// redis.error_reply and redis.status_reply: a table with one field.
int OneField(lua_State* L, const char* field) {
  if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TSTRING) {
    PushError(L, "wrong number or type of arguments");
    return 1;
  }
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, field);
  return 1;
}

int StatusReply(lua_State* L) { return OneField(L, "ok"); }

int ErrorReply(lua_State* L) {
  if (lua_gettop(L) == 1 && lua_type(L, 1) == LUA_TSTRING) {
    const char* text = lua_tostring(L, 1);
    if (*text == '-') text++;
    // One word is a message without a code.
    lua_pushfstring(L, strchr(text, ' ') == nullptr ? "ERR %s" : "%s", text);
    lua_replace(L, 1);
  }
  return OneField(L, "err");
}

int Sha1Hex(lua_State* L) {
  if (lua_gettop(L) != 1) return RaiseText(L, "wrong number of arguments");
  LuaHost* host = HostOf(L);
  // Whatever is no string counts as an empty one.
  if (lua_type(L, 1) != LUA_TSTRING && lua_type(L, 1) != LUA_TNUMBER) {
    lua_pushliteral(L, "");
    lua_replace(L, 1);
  }
  lua_tostring(L, 1);
  WireArguments(L, host, 1);
  Ask(L, host, kServiceSha1);
  return 1;
}

int Log(lua_State* L) {
  const int count = lua_gettop(L);
  if (count < 2) return RaiseText(L, "redis.log() requires two arguments or more.");
  if (lua_type(L, 1) != LUA_TNUMBER) return RaiseText(L, "First argument must be a number (log level).");
  const int level = static_cast<int>(lua_tonumber(L, 1));
  if (level < 0 || level > 3) return RaiseText(L, "Invalid debug level.");
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  for (int i = 2; i <= count; i++) {
    if (lua_isstring(L, i) == 0) continue;
    if (i > 2) luaL_addchar(&text, ' ');
    lua_pushvalue(L, i);
    lua_tostring(L, -1);
    luaL_addvalue(&text);
  }
  luaL_pushresult(&text);
  lua_replace(L, 2);
  lua_settop(L, 2);
  WireArguments(L, HostOf(L), 1);
  Ask(L, HostOf(L), kServiceLog);
  return 0;
}

int SetProtocol(lua_State* L) {
  if (lua_gettop(L) != 1) return RaiseText(L, "redis.setresp() requires one argument.");
  const lua_Number protocol = lua_tonumber(L, 1);
  if (protocol != 2 && protocol != 3) return RaiseText(L, "RESP version must be 2 or 3.");
  LuaHost* host = HostOf(L);
  host->script_protocol = static_cast<int>(protocol);
  WireArguments(L, host, 1);
  Ask(L, host, kServiceProtocol);
  return 0;
}

// Replication is not ours to choose: what a script changes is in the journal. The arguments are checked all the same.
int SetReplication(lua_State* L) {
  if (lua_gettop(L) != 1) return RaiseText(L, "redis.set_repl() requires two arguments.");
  const int flags = static_cast<int>(lua_tonumber(L, 1));
  if ((flags & ~3) != 0) {
    return RaiseText(L, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
  }
  return 0;
}

int ReplicateCommands(lua_State* L) {
  lua_pushboolean(L, 1);
  return 1;
}

int Breakpoint(lua_State* L) {
  lua_pushboolean(L, 0);
  return 1;
}

int Debug(lua_State*) { return 0; }

// The arguments of register_function, found in either of its two forms.
struct Registration {
  int name = 0;
  int callback = 0;
  int description = 0;
  int flags = 0;
};

const char* NamedArguments(lua_State* L, Registration* found) {
  lua_pushnil(L);
  while (lua_next(L, 1) != 0) {
    const char* key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    const int value = lua_gettop(L);
    if (lua_type(L, -2) != LUA_TSTRING) {
      return "named argument key given to redis.register_function is not a string";
    }
    if (strcmp(key, "function_name") == 0) {
      if (lua_isstring(L, value) == 0) {
        return "function_name argument given to redis.register_function must be a string";
      }
      found->name = value;
    } else if (strcmp(key, "description") == 0) {
      if (lua_isstring(L, value) == 0) return "description argument given to redis.register_function must be a string";
      found->description = value;
    } else if (strcmp(key, "callback") == 0) {
      if (!lua_isfunction(L, value)) return "callback argument given to redis.register_function must be a function";
      found->callback = value;
    } else if (strcmp(key, "flags") == 0) {
      if (!lua_istable(L, value)) {
        return "flags argument to redis.register_function must be a table representing function flags";
      }
      found->flags = value;
    } else {
      return "unknown argument given to redis.register_function";
    }
    // The value stays on the stack; the key goes on top of it for the next step.
    lua_pushvalue(L, value - 1);
    luaL_checkstack(L, 6, "too many arguments");
  }
  if (found->name == 0) return "redis.register_function must get a function name argument";
  if (found->callback == 0) return "redis.register_function must get a callback argument";
  return nullptr;
}

const char* PlainArguments(lua_State* L, Registration* found) {
  if (lua_isstring(L, 1) == 0) return "first argument to redis.register_function must be a string";
  if (!lua_isfunction(L, 2)) return "second argument to redis.register_function must be a function";
  found->name = 1;
  found->callback = 2;
  return nullptr;
}

int Register(lua_State* L) {
  LuaHost* host = HostOf(L);
  if (!host->loading_library) {
    return RaiseText(L, "redis.register_function can only be called on FUNCTION LOAD command");
  }
  const int count = lua_gettop(L);
  if (count < 1 || count > 2) return RaiseText(L, "wrong number of arguments to redis.register_function");
  if (count == 1 && !lua_istable(L, 1)) {
    return RaiseText(L,
                     "calling redis.register_function with a single argument is only applicable to Lua table "
                     "(representing named arguments).");
  }
  Registration found;
  const char* fault = count == 1 ? NamedArguments(L, &found) : PlainArguments(L, &found);
  if (fault != nullptr) return RaiseText(L, fault);
  luaL_checkstack(L, 16, "too many arguments");
  const int first = lua_gettop(L) + 1;
  lua_pushvalue(L, found.name);
  lua_tostring(L, -1);
  lua_pushvalue(L, found.callback);
  lua_pushinteger(L, luaL_ref(L, LUA_REGISTRYINDEX));
  lua_pushboolean(L, 0);
  if (found.description == 0) lua_pushliteral(L, "0");
  else lua_pushliteral(L, "1");
  lua_replace(L, -2);
  if (found.description == 0) lua_pushliteral(L, "");
  else lua_pushvalue(L, found.description);
  lua_tostring(L, -1);
  for (int i = 1; found.flags != 0; i++) {
    lua_rawgeti(L, found.flags, i);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      break;
    }
    if (lua_type(L, -1) != LUA_TSTRING) return RaiseText(L, "unknown flag given");
    luaL_checkstack(L, 4, "unknown flag given");
  }
  WireArguments(L, host, first);
  Ask(L, host, kServiceRegister);
  if (IsError(L)) return lua_error(L);
  return 0;
}

int UnknownMember(lua_State* L) {
  const char* name = lua_tostring(L, 2);
  return luaL_error(L, "Script attempted to access nonexistent global variable '%s'", name == nullptr ? "?" : name);
}

struct Function {
  const char* name;
  lua_CFunction function;
};

constexpr Function kFunctions[] = {{"call", Call},
                                   {"pcall", ProtectedCall},
                                   {"error_reply", ErrorReply},
                                   {"status_reply", StatusReply},
                                   {"sha1hex", Sha1Hex},
                                   {"log", Log},
                                   {"setresp", SetProtocol},
                                   {"acl_check_cmd", AclCheck},
                                   {"replicate_commands", ReplicateCommands},
                                   {"set_repl", SetReplication},
                                   {"breakpoint", Breakpoint},
                                   {"debug", Debug}};

struct Constant {
  const char* name;
  int value;
};

constexpr Constant kLevels[] = {{"LOG_DEBUG", 0}, {"LOG_VERBOSE", 1}, {"LOG_NOTICE", 2}, {"LOG_WARNING", 3}};
constexpr Constant kReplication[] = {
    {"REPL_NONE", 0}, {"REPL_AOF", 1}, {"REPL_SLAVE", 2}, {"REPL_REPLICA", 2}, {"REPL_ALL", 3}};

template <size_t N>
void SetConstants(lua_State* L, const Constant (&constants)[N]) {
  for (const Constant& constant : constants) {
    lua_pushinteger(L, constant.value);
    lua_setfield(L, -2, constant.name);
  }
}

void SetVersion(lua_State* L) {
  lua_pushliteral(L, "7.0.15");
  lua_setfield(L, -2, "REDIS_VERSION");
  lua_pushinteger(L, 0x07000f);
  lua_setfield(L, -2, "REDIS_VERSION_NUM");
}

// Gives the table on the top a metatable that refuses unknown names.
void RefuseUnknown(lua_State* L) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, UnknownMember);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

}  // namespace

void PushError(lua_State* L, const char* text) {
  lua_createtable(L, 0, 1);
  lua_pushfstring(L, "ERR %s", text);
  lua_setfield(L, -2, "err");
}

void PushRedisApi(lua_State* L) {
  lua_newtable(L);
  for (const Function& function : kFunctions) {
    lua_pushcfunction(L, function.function);
    lua_setfield(L, -2, function.name);
  }
  SetConstants(L, kLevels);
  SetConstants(L, kReplication);
  SetVersion(L);
}

void PushLibraryEnvironment(lua_State* L) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushcfunction(L, Register);
  lua_setfield(L, -2, "register_function");
  lua_pushcfunction(L, Log);
  lua_setfield(L, -2, "log");
  SetConstants(L, kLevels);
  SetVersion(L);
  RefuseUnknown(L);
  Protect(L);
  lua_setfield(L, -2, "redis");
  RefuseUnknown(L);
  Protect(L);
}

void ShowGlobals(lua_State* L, int environment) {
  // The metatable is the proxy's own: what it reads from is exchanged.
  lua_getmetatable(L, environment);
  lua_rawgeti(L, LUA_REGISTRYINDEX, HostOf(L)->globals_ref);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

int ErrorHandler(lua_State* L) {
  lua_settop(L, 1);
  if (!lua_istable(L, 1)) {
    const char* text = lua_isboolean(L, 1) ? (lua_toboolean(L, 1) != 0 ? "true" : "false") : lua_tostring(L, 1);
    PushError(L, text == nullptr ? luaL_typename(L, 1) : text);
    lua_replace(L, 1);
  }
  lua_Debug where;
  for (int level = 1; level <= 2; level++) {
    if (lua_getstack(L, level, &where) == 0 || lua_getinfo(L, "Sl", &where) == 0) break;
    if (strcmp(where.what, "C") == 0) continue;
    lua_pushstring(L, where.source);
    lua_setfield(L, 1, "source");
    lua_pushinteger(L, where.currentline);
    lua_setfield(L, 1, "line");
    return 1;
  }
  // The place was lost in a tail call.
  lua_pushstring(L, HostOf(L)->chunk_name);
  lua_setfield(L, 1, "source");
  lua_pushinteger(L, 1);
  lua_setfield(L, 1, "line");
  return 1;
}

}  // namespace millrace

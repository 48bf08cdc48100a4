#include "lua_door.h"

#include <cstring>
#include <new>

#include "door.h"
#include "lua_host.h"
#include "lua_interrupt.h"
#include "lua_nesting.h"
#include "lua_redis_api.h"
#include "lua_resp.h"
#include "lua_sandbox.h"

namespace millrace {
namespace {

constexpr size_t kArgumentsMax = 8;

struct Arguments {
  napi_env env;
  napi_value values[kArgumentsMax] = {};
  size_t count = kArgumentsMax;

  Arguments(napi_env env_, napi_callback_info info) : env(env_) {
    if (napi_get_cb_info(env, info, &count, values, nullptr, nullptr) != napi_ok) count = 0;
  }
  int64_t Integer(size_t index) const {
    int64_t value = 0;
    napi_get_value_int64(env, values[index], &value);
    return value;
  }
  bool Bytes(size_t index, const uint8_t** bytes, size_t* length) const {
    void* data = nullptr;
    if (napi_get_buffer_info(env, values[index], &data, length) != napi_ok) return false;
    *bytes = static_cast<const uint8_t*>(data);
    return true;
  }
  LuaHost* Host() const {
    void* host = nullptr;
    if (count == 0 || napi_get_value_external(env, values[0], &host) != napi_ok) return nullptr;
    return static_cast<LuaHost*>(host);
  }
};

// What one protected call is given and gives back.
struct Job {
  LuaHost* host;
  int function_ref;
  const uint8_t* bytes;
  size_t length;
  int skip;
  int keys;
  bool as_arguments;
  const char* chunk_name;
  bool failed;
};

// Pushes a table with `count` of the arguments that follow.
void PushArguments(lua_State* L, ArgumentReader* reader, int64_t count) {
  lua_createtable(L, static_cast<int>(count), 0);
  const char* bytes = nullptr;
  size_t length = 0;
  for (int64_t i = 1; i <= count && reader->Next(&bytes, &length); i++) {
    lua_pushlstring(L, bytes, length);
    lua_rawseti(L, -2, static_cast<int>(i));
  }
}

bool IsErrorTable(lua_State* L) {
  if (!lua_istable(L, -1)) return false;
  lua_pushliteral(L, "err");
  lua_rawget(L, -2);
  const bool error = lua_type(L, -1) == LUA_TSTRING;
  lua_pop(L, 1);
  return error;
}

// On the wire: the text, the place, and how it came about: 'r' returned or 'e' raised, in capitals when the error was
// counted already; a line each.
void WireFailure(lua_State* L, LuaHost* host, bool returned) {
  host->wire_used = 0;
  const bool table = lua_istable(L, -1);
  size_t length = 0;
  const char* text = nullptr;
  if (table) {
    lua_getfield(L, -1, "err");
    text = lua_tolstring(L, -1, &length);
  } else {
    text = lua_tolstring(L, -1, &length);
    WireBytes(L, host, "ERR ", 4);
  }
  if (text == nullptr) WireBytes(L, host, "ERR unknown error", 17);
  else WireBytes(L, host, text, strlen(text));
  WireBytes(L, host, "\n", 1);
  if (table) {
    lua_getfield(L, -2, "source");
    lua_getfield(L, -3, "line");
    const char* source = lua_tostring(L, -2);
    if (source != nullptr && lua_isnumber(L, -1) != 0) {
      lua_pushfstring(L, "%s:%d", source, static_cast<int>(lua_tointeger(L, -1)));
      const char* place = lua_tolstring(L, -1, &length);
      WireBytes(L, host, place, length);
      lua_pop(L, 1);
    }
    lua_getfield(L, -4, "ignore_error_stats_update");
    const bool counted = lua_toboolean(L, -1) != 0;
    if (returned) WireBytes(L, host, counted ? "\nR" : "\nr", 2);
    else WireBytes(L, host, counted ? "\nE" : "\ne", 2);
  } else {
    WireBytes(L, host, "\ne", 2);
  }
}

int RunProtected(lua_State* L) {
  Job* job = static_cast<Job*>(lua_touserdata(L, 1));
  LuaHost* host = job->host;
  host->limited = true;
  lua_pushcfunction(L, ErrorHandler);
  lua_rawgeti(L, LUA_REGISTRYINDEX, job->function_ref);
  ArgumentReader reader(job->bytes, job->length);
  int64_t count = reader.Count() - job->skip;
  const char* bytes = nullptr;
  size_t length = 0;
  for (int i = 0; i < job->skip; i++) reader.Next(&bytes, &length);
  if (!job->as_arguments) lua_rawgeti(L, LUA_REGISTRYINDEX, host->globals_ref);
  PushArguments(L, &reader, job->keys);
  if (!job->as_arguments) lua_setfield(L, -2, "KEYS");
  count -= job->keys;
  PushArguments(L, &reader, count > 0 ? count : 0);
  if (!job->as_arguments) {
    lua_setfield(L, -2, "ARGV");
    lua_pop(L, 1);
  }
  const int status = lua_pcall(L, job->as_arguments ? 2 : 0, 1, 2);
  host->limited = false;
  host->wire_used = 0;
  const bool returned = status == 0;
  if (returned && !IsErrorTable(L)) {
    WireResult(L, host);
    return 0;
  }
  job->failed = true;
  WireFailure(L, host, returned);
  return 0;
}

int CompileProtected(lua_State* L) {
  Job* job = static_cast<Job*>(lua_touserdata(L, 1));
  job->host->wire_used = 0;
  job->host->limited = true;
  const char* source = reinterpret_cast<const char*>(job->bytes);
  if (CompileText(L, source, job->length, job->chunk_name) == 0) {
    job->function_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
  }
  job->failed = true;
  size_t length = 0;
  const char* text = lua_tolstring(L, -1, &length);
  WireBytes(L, job->host, text, length);
  return 0;
}

int LibraryProtected(lua_State* L) {
  Job* job = static_cast<Job*>(lua_touserdata(L, 1));
  LuaHost* host = job->host;
  host->limited = true;
  lua_pushcfunction(L, ErrorHandler);
  lua_rawgeti(L, LUA_REGISTRYINDEX, job->function_ref);
  PushLibraryEnvironment(L);
  const int environment = lua_gettop(L);
  lua_pushvalue(L, environment);
  lua_setfenv(L, environment - 1);
  lua_pushvalue(L, environment - 1);
  const int status = lua_pcall(L, 0, 0, 2);
  host->limited = false;
  host->wire_used = 0;
  if (status == 0) {
    ShowGlobals(L, environment);
    return 0;
  }
  job->failed = true;
  WireFailure(L, host, false);
  return 0;
}

int CollectProtected(lua_State* L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

// Runs `body` protected; what went wrong outside of the script's own protection is said on the wire.
int64_t Protected(Job* job, lua_CFunction body) {
  LuaHost* host = job->host;
  host->chunk_name = job->chunk_name;
  host->killed = nullptr;
  BeginNesting(host->state);
  host->watchdog.Begin();
  const int status = lua_cpcall(host->state, body, job);
  host->watchdog.End();
  host->limited = false;
  lua_settop(host->state, 0);
  if (host->refused) {
    // The next one would find no memory either: LuaJIT does not collect because of a refusal.
    host->refused = false;
    lua_cpcall(host->state, CollectProtected, nullptr);
    lua_settop(host->state, 0);
  }
  if (status != 0) {
    constexpr char kText[] = "ERR not enough memory\n\ne";
    job->failed = true;
    memcpy(host->wire, kText, sizeof(kText) - 1);
    host->wire_used = sizeof(kText) - 1;
  }
  const int64_t used = static_cast<int64_t>(host->wire_used);
  return job->failed ? -used - 1 : used;
}

void Close(napi_env env, void* data, void*) {
  LuaHost* host = static_cast<LuaHost*>(data);
  host->watchdog.Stop();
  if (host->state != nullptr) CloseState(host, host->state);
  if (host->callback != nullptr) napi_delete_reference(env, host->callback);
  if (host->wire_ref != nullptr) napi_delete_reference(env, host->wire_ref);
  if (host->reply_ref != nullptr) napi_delete_reference(env, host->reply_ref);
  delete host;
}

// luaOpen(callback, replyBuffer, memoryBytesMax, deprecated): a handle, or undefined when there is no memory
napi_value Open(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  LuaHost* host = new (std::nothrow) LuaHost();
  if (host == nullptr || args.count < 4) return nullptr;
  host->env = env;
  size_t length = 0;
  const bool ready = args.Bytes(1, &host->reply, &length) &&
                     napi_create_reference(env, args.values[0], 1, &host->callback) == napi_ok &&
                     napi_create_reference(env, args.values[1], 1, &host->reply_ref) == napi_ok;
  host->memory_max = static_cast<size_t>(args.Integer(2));
  host->deprecated = args.Integer(3) != 0;
  napi_value handle = nullptr;
  if (ready && WireRoom(host, kWireBytes)) host->state = OpenState(host);
  if (host->state == nullptr || napi_create_external(env, host, Close, nullptr, &handle) != napi_ok) {
    Close(env, host, nullptr);
    return nullptr;
  }
  host->watchdog.Start(host->state, Interrupt);
  return handle;
}

// luaCompile(handle, source, isLibrary): a function's reference, or -1 - bytes of the message on the wire
napi_value Compile(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  Job job = {};
  job.host = args.Host();
  if (job.host == nullptr || !args.Bytes(1, &job.bytes, &job.length)) return nullptr;
  job.chunk_name = args.Integer(2) != 0 ? "@user_function" : "@user_script";
  const int64_t result = Protected(&job, CompileProtected);
  return Number(env, job.failed ? result : job.function_ref);
}

// luaLoad(handle, reference): runs a library's code, which registers functions; 0, or -1 - bytes of the failure
napi_value LoadLibrary(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  Job job = {};
  job.host = args.Host();
  if (job.host == nullptr) return nullptr;
  job.function_ref = static_cast<int>(args.Integer(1));
  job.chunk_name = "@user_function";
  job.host->loading_library = true;
  const int64_t result = Protected(&job, LibraryProtected);
  job.host->loading_library = false;
  return Number(env, job.failed ? result : 0);
}

// luaRun(handle, reference, buffer, from, to, skip, keys, flags): bytes of the reply on the wire, or -1 - those of the
// failure. The arguments are those of the RESP array buffer[from, to) behind the first `skip`; flags: 1 for a library
// function, 2 for a RESP3 client.
napi_value Run(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  Job job = {};
  job.host = args.Host();
  size_t length = 0;
  if (job.host == nullptr || args.count < 8 || !args.Bytes(2, &job.bytes, &length)) return nullptr;
  job.function_ref = static_cast<int>(args.Integer(1));
  const int64_t from = args.Integer(3);
  const int64_t to = args.Integer(4);
  if (from < 0 || to < from || static_cast<uint64_t>(to) > length) return nullptr;
  job.bytes += from;
  job.length = static_cast<size_t>(to - from);
  job.skip = static_cast<int>(args.Integer(5));
  job.keys = static_cast<int>(args.Integer(6));
  const int64_t flags = args.Integer(7);
  job.as_arguments = (flags & 1) != 0;
  job.chunk_name = job.as_arguments ? "@user_function" : "@user_script";
  job.host->client_protocol = (flags & 2) != 0 ? 3 : 2;
  job.host->script_protocol = 2;
  return Number(env, Protected(&job, RunProtected));
}

int DropProtected(lua_State* L) {
  const Job* job = static_cast<Job*>(lua_touserdata(L, 1));
  luaL_unref(L, LUA_REGISTRYINDEX, job->function_ref);
  return 0;
}

// luaDrop(handle, reference): forgets a function
napi_value Drop(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  Job job = {};
  job.host = args.Host();
  if (job.host == nullptr) return nullptr;
  job.function_ref = static_cast<int>(args.Integer(1));
  lua_cpcall(job.host->state, DropProtected, &job);
  return nullptr;
}

// luaTidy(handle, collect): bytes that Lua holds; gives memory back first if `collect` is not 0
napi_value Tidy(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  LuaHost* host = args.Host();
  if (host == nullptr) return nullptr;
  if (args.Integer(1) != 0) lua_cpcall(host->state, CollectProtected, nullptr);
  WireShrink(host);
  return Number(env, static_cast<int64_t>(host->memory_used));
}

// luaThreshold(handle, ms): after how long a script is interrupted; 0 for never
napi_value Threshold(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  LuaHost* host = args.Host();
  if (host != nullptr) host->watchdog.SetThreshold(args.Integer(1));
  return nullptr;
}

}  // namespace

bool ExportLua(napi_env env, napi_value exports) {
  return Export(env, exports, "luaOpen", Open) && Export(env, exports, "luaCompile", Compile) &&
         Export(env, exports, "luaLoad", LoadLibrary) && Export(env, exports, "luaRun", Run) &&
         Export(env, exports, "luaDrop", Drop) && Export(env, exports, "luaTidy", Tidy) &&
         Export(env, exports, "luaThreshold", Threshold);
}

}  // namespace millrace

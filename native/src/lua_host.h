// One Lua interpreter (LuaJIT with its compiler off, so that count hooks always fire) and the memory it shares with
// TypeScript. Everything that crosses goes through two buffers as RESP: `wire` holds the arguments of a call on their
// way out and a script's result at its end, the reply buffer what TypeScript answered.
//
// Invariants: (1) Lua errors are raised only while no handle scope of ours is open, and never cross a frame of N-API:
// every entry from TypeScript runs under lua_cpcall; (2) functions that may raise own nothing that needs a destructor.
#pragma once

#include <node_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <lua.hpp>

#include "lua_watchdog.h"

namespace millrace {

// What a call asks TypeScript for. The same numbers stand in src/native/lua.ts.
enum Service : int32_t {
  kServiceCommand = 0,
  kServiceSha1 = 1,
  kServiceLog = 2,
  kServiceProtocol = 3,
  kServiceAclCheck = 4,
  kServiceRegister = 5,
  kServiceBusy = 6,
  kServiceAdopt = 7,
};

struct LuaHost {
  napi_env env = nullptr;
  lua_State* state = nullptr;
  napi_ref callback = nullptr;

  // Bytes on their way to TypeScript. A new, larger Buffer is made when they do not fit, and TypeScript is told.
  napi_ref wire_ref = nullptr;
  uint8_t* wire = nullptr;
  size_t wire_capacity = 0;
  size_t wire_used = 0;
  napi_ref reply_ref = nullptr;
  const uint8_t* reply = nullptr;

  // LuaJIT's own allocator.
  lua_Alloc allocate = nullptr;
  void* allocate_user = nullptr;
  size_t memory_used = 0;
  size_t memory_max = 0;
  // memory_max holds: while a script runs or is compiled. What we do ourselves must work when nothing is left.
  bool limited = false;
  // A request for memory was refused since the run began.
  bool refused = false;

  int globals_ref = LUA_NOREF;
  // Scripts have getfenv, setfenv and newproxy.
  bool deprecated = false;
  // Protocol of the replies inside the running script (redis.setresp), and of the client that waits for the result.
  int script_protocol = 2;
  int client_protocol = 2;
  // Functions are being declared: redis.register_function works and redis.call does not.
  bool loading_library = false;
  // Where an error is said to be when its own place is lost.
  const char* chunk_name = "";
  // Calls from C to Lua inside each other, and where the stack stood at the beginning of the run.
  int depth = 0;
  const char* stack_base = nullptr;
  // State of math.random.
  uint64_t random = 0;
  Watchdog watchdog;
  // Set by SCRIPT KILL and the like: the script ends with this text whatever it catches.
  const char* killed = nullptr;
};

constexpr size_t kWireBytes = 64 * 1024;
// A wire buffer above this is given up after the script that needed it.
constexpr size_t kWireBytesKept = 4 * 1024 * 1024;

LuaHost* HostOf(lua_State* L);

// A new state with sandbox and libraries, or nullptr when there is no memory for it.
lua_State* OpenState(LuaHost* host);
void CloseState(LuaHost* host, lua_State* L);

// Makes room for `bytes` more behind wire_used; false when there is no memory.
bool WireRoom(LuaHost* host, size_t bytes);
// Gives up a wire buffer that one large value made large.
void WireShrink(LuaHost* host);
// Raises a Lua error when there is no room.
void WireBytes(lua_State* L, LuaHost* host, const void* bytes, size_t length);
// `type`, the decimal number, CR LF.
void WireHeader(lua_State* L, LuaHost* host, char type, int64_t value);
void WireBulk(lua_State* L, LuaHost* host, const char* bytes, size_t length);

// Calls TypeScript with wire[0, wire_used). False when it threw (a defect). The reply is valid until the next call.
bool Invoke(LuaHost* host, int32_t service, const uint8_t** reply, size_t* length);
// The same without arguments, from the interrupt hook. Returns what TypeScript said, a number; negative: a defect.
int32_t InvokePlain(LuaHost* host, int32_t service);

}  // namespace millrace

#include "lua_host.h"

#include <cstdio>
#include <cstring>

#include "lua_sandbox.h"

namespace millrace {
namespace {

// Counts what Lua holds. A script that wants more than it may have gets "not enough memory", the server goes on. Behind
// the count stands LuaJIT's own allocator, which is made for the many short-lived pieces that scripts are.
void* Allocate(void* user, void* block, size_t old_size, size_t new_size) {
  LuaHost* host = static_cast<LuaHost*>(user);
  if (block == nullptr) old_size = 0;
  if (new_size == 0) {
    host->allocate(host->allocate_user, block, old_size, 0);
    host->memory_used -= old_size;
    return nullptr;
  }
  if (host->limited && new_size > old_size && host->memory_used - old_size + new_size > host->memory_max) {
    host->refused = true;
    return nullptr;
  }
  void* moved = host->allocate(host->allocate_user, block, old_size, new_size);
  if (moved != nullptr) host->memory_used += new_size - old_size;
  return moved;
}

int OpenProtected(lua_State* L) {
  OpenSandbox(L);
  return 0;
}

napi_value ValueOf(napi_env env, napi_ref ref) {
  napi_value value = nullptr;
  napi_get_reference_value(env, ref, &value);
  return value;
}

// Calls TypeScript; the result is a handle of the caller's scope, or nullptr after an exception.
napi_value Callback(LuaHost* host, int32_t service, napi_value third) {
  napi_env env = host->env;
  napi_value receiver = nullptr;
  napi_value args[3] = {nullptr, nullptr, third};
  napi_value result = nullptr;
  napi_get_undefined(env, &receiver);
  napi_create_int32(env, service, &args[0]);
  napi_create_int64(env, static_cast<int64_t>(host->wire_used), &args[1]);
  const size_t argc = third == nullptr ? 2 : 3;
  if (napi_call_function(env, receiver, ValueOf(env, host->callback), argc, args, &result) == napi_ok) return result;
  bool pending = false;
  napi_is_exception_pending(env, &pending);
  if (pending) napi_get_and_clear_last_exception(env, &result);
  return nullptr;
}

bool Adopt(LuaHost* host, size_t capacity, size_t kept) {
  napi_env env = host->env;
  napi_handle_scope scope = nullptr;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return false;
  void* data = nullptr;
  napi_value buffer = nullptr;
  napi_ref ref = nullptr;
  bool done = napi_create_buffer(env, capacity, &data, &buffer) == napi_ok &&
              napi_create_reference(env, buffer, 1, &ref) == napi_ok;
  if (!done) {
    bool pending = false;
    napi_value ignored = nullptr;
    napi_is_exception_pending(env, &pending);
    if (pending) napi_get_and_clear_last_exception(env, &ignored);
  } else {
    if (kept > 0) memcpy(data, host->wire, kept);
    if (host->wire_ref != nullptr) napi_delete_reference(env, host->wire_ref);
    host->wire_ref = ref;
    host->wire = static_cast<uint8_t*>(data);
    host->wire_capacity = capacity;
    done = Callback(host, kServiceAdopt, buffer) != nullptr;
  }
  napi_close_handle_scope(env, scope);
  return done;
}

}  // namespace

LuaHost* HostOf(lua_State* L) {
  void* user = nullptr;
  lua_getallocf(L, &user);
  return static_cast<LuaHost*>(user);
}

lua_State* OpenState(LuaHost* host) {
  lua_State* L = luaL_newstate();
  if (L == nullptr) return nullptr;
  host->allocate = lua_getallocf(L, &host->allocate_user);
  host->memory_used = static_cast<size_t>(lua_gc(L, LUA_GCCOUNT, 0)) * 1024 +
                      static_cast<size_t>(lua_gc(L, LUA_GCCOUNTB, 0));
  lua_setallocf(L, Allocate, host);
  luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
  if (lua_cpcall(L, OpenProtected, nullptr) == 0) return L;
  CloseState(host, L);
  return nullptr;
}

void CloseState(LuaHost* host, lua_State* L) {
  // LuaJIT gives back its allocator's memory only when it finds that allocator in place.
  lua_setallocf(L, host->allocate, host->allocate_user);
  lua_close(L);
}

bool WireRoom(LuaHost* host, size_t bytes) {
  const size_t needed = host->wire_used + bytes;
  if (needed <= host->wire_capacity) return true;
  size_t capacity = host->wire_capacity == 0 ? kWireBytes : host->wire_capacity;
  while (capacity < needed) capacity *= 2;
  return Adopt(host, capacity, host->wire_used);
}

void WireShrink(LuaHost* host) {
  if (host->wire_capacity > kWireBytesKept) Adopt(host, kWireBytes, 0);
}

void WireBytes(lua_State* L, LuaHost* host, const void* bytes, size_t length) {
  if (!WireRoom(host, length)) luaL_error(L, "not enough memory");
  memcpy(host->wire + host->wire_used, bytes, length);
  host->wire_used += length;
}

void WireHeader(lua_State* L, LuaHost* host, char type, int64_t value) {
  if (!WireRoom(host, 32)) luaL_error(L, "not enough memory");
  char digits[24];
  char* end = digits + sizeof(digits);
  char* at = end;
  const bool negative = value < 0;
  uint64_t rest = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  do {
    *--at = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (negative) *--at = '-';
  uint8_t* out = host->wire + host->wire_used;
  *out++ = static_cast<uint8_t>(type);
  memcpy(out, at, static_cast<size_t>(end - at));
  out += end - at;
  *out++ = '\r';
  *out++ = '\n';
  host->wire_used = static_cast<size_t>(out - host->wire);
}

void WireBulk(lua_State* L, LuaHost* host, const char* bytes, size_t length) {
  WireHeader(L, host, '$', static_cast<int64_t>(length));
  if (!WireRoom(host, length + 2)) luaL_error(L, "not enough memory");
  uint8_t* out = host->wire + host->wire_used;
  memcpy(out, bytes, length);
  out[length] = '\r';
  out[length + 1] = '\n';
  host->wire_used += length + 2;
}

bool Invoke(LuaHost* host, int32_t service, const uint8_t** reply, size_t* length) {
  napi_env env = host->env;
  napi_handle_scope scope = nullptr;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return false;
  bool done = false;
  napi_value result = Callback(host, service, nullptr);
  if (result != nullptr) {
    int64_t used = 0;
    if (napi_get_value_int64(env, result, &used) == napi_ok) {
      *reply = host->reply;
      *length = static_cast<size_t>(used);
      done = true;
    } else {
      // A reply that did not fit is a Buffer of its own, which TypeScript keeps until the next call.
      void* data = nullptr;
      done = napi_get_buffer_info(env, result, &data, length) == napi_ok;
      *reply = static_cast<const uint8_t*>(data);
    }
  }
  napi_close_handle_scope(env, scope);
  return done;
}

int32_t InvokePlain(LuaHost* host, int32_t service) {
  napi_env env = host->env;
  napi_handle_scope scope = nullptr;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return -1;
  int32_t answer = -1;
  napi_value result = Callback(host, service, nullptr);
  if (result != nullptr) napi_get_value_int32(env, result, &answer);
  napi_close_handle_scope(env, scope);
  return answer;
}

}  // namespace millrace

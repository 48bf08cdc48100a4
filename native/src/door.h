// What every N-API edge needs: numbers out, functions exported.
#pragma once

#include <node_api.h>

#include <cstdint>

namespace millrace {

inline napi_value Number(napi_env env, int64_t value) {
  napi_value result = nullptr;
  napi_create_int64(env, value, &result);
  return result;
}

// False when N-API refuses.
inline bool Export(napi_env env, napi_value exports, const char* name, napi_callback callback) {
  napi_value function = nullptr;
  return napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, nullptr, &function) == napi_ok &&
         napi_set_named_property(env, exports, name, function) == napi_ok;
}

}  // namespace millrace

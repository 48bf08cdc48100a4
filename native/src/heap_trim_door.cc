#include "heap_trim_door.h"

#ifdef __linux__
#include <malloc.h>
#endif

#include <cerrno>

#include "door.h"
#include "heap_trim.h"

namespace millrace {
namespace {

// Of the thread that asks.
thread_local HeapPass pass;

// trimHeap(): 1 when memory went back to the system, 0 when there was none, or no way
napi_value TrimHeap(napi_env env, napi_callback_info) {
#ifdef __GLIBC__
  return Number(env, malloc_trim(0));
#else
  return Number(env, 0);
#endif
}

// trimHeapSome(bytesMax, usMax): 1 while there is more to do, 0 when the pass is over
napi_value TrimHeapSome(napi_env env, napi_callback_info info) {
  napi_value values[2] = {};
  size_t count = 2;
  int64_t bytes = 0;
  int64_t us = 0;
  napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  if (count < 2 || napi_get_value_int64(env, values[0], &bytes) != napi_ok || bytes < 0 ||
      napi_get_value_int64(env, values[1], &us) != napi_ok || us < 0) {
    return Number(env, -EINVAL);
  }
  return Number(env, pass.Some(static_cast<uint64_t>(bytes), static_cast<uint64_t>(us)) ? 1 : 0);
}

}  // namespace

bool ExportHeapTrim(napi_env env, napi_value exports) {
  return Export(env, exports, "trimHeap", TrimHeap) && Export(env, exports, "trimHeapSome", TrimHeapSome);
}

}  // namespace millrace

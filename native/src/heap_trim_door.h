// Memory back to the system, at the N-API edge.
#pragma once

#include <node_api.h>

namespace millrace {

// False when N-API refuses.
bool ExportHeapTrim(napi_env env, napi_value exports);

}  // namespace millrace

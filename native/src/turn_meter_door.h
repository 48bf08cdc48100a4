// The N-API functions that src/native/turn-meter.ts calls.
#pragma once

#include <node_api.h>

namespace millrace {

// Adds them to the addon's exports; false when N-API refuses.
bool ExportTurnMeter(napi_env env, napi_value exports);

}  // namespace millrace

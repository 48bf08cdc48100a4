#include "turn_meter_door.h"

#include <cerrno>

#include "door.h"
#include "turn_meter.h"

namespace millrace {
namespace {

// A meter with the memory it counts in. `meter` is null after its stop.
struct Door {
  napi_ref counts = nullptr;
  TurnMeter* meter = nullptr;
};

// turnMeterStart(counts): a handle, or -errno
napi_value Start(napi_env env, napi_callback_info info) {
  napi_value counts = nullptr;
  size_t arguments = 1;
  void* data = nullptr;
  size_t length = 0;
  uv_loop_t* loop = nullptr;
  napi_get_cb_info(env, info, &arguments, &counts, nullptr, nullptr);
  if (arguments < 1 || napi_get_buffer_info(env, counts, &data, &length) != napi_ok ||
      napi_get_uv_event_loop(env, &loop) != napi_ok) {
    return Number(env, -EINVAL);
  }
  auto* door = new Door;
  napi_create_reference(env, counts, 1, &door->counts);
  door->meter = new TurnMeter(static_cast<uint32_t*>(data), length / sizeof(uint32_t));
  napi_value handle = nullptr;
  napi_create_external(
      env, door, [](napi_env, void* opened, void*) { delete static_cast<Door*>(opened); }, nullptr, &handle);
  const int status = door->meter->Start(loop);
  return status == 0 ? handle : Number(env, status);
}

// turnMeterStop(handle): 0, or -errno
napi_value Stop(napi_env env, napi_callback_info info) {
  napi_value handle = nullptr;
  size_t arguments = 1;
  void* data = nullptr;
  napi_get_cb_info(env, info, &arguments, &handle, nullptr, nullptr);
  if (arguments < 1 || napi_get_value_external(env, handle, &data) != napi_ok) return Number(env, -EINVAL);
  auto* door = static_cast<Door*>(data);
  if (door->meter == nullptr) return Number(env, -EINVAL);
  door->meter->Stop();
  door->meter = nullptr;
  napi_delete_reference(env, door->counts);
  return Number(env, 0);
}

}  // namespace

bool ExportTurnMeter(napi_env env, napi_value exports) {
  return Export(env, exports, "turnMeterStart", Start) && Export(env, exports, "turnMeterStop", Stop);
}

}  // namespace millrace

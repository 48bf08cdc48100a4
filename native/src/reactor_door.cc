#include "reactor_door.h"

#include <fcntl.h>

#include <cerrno>

#include "door.h"
#include "reactor.h"

namespace millrace {
namespace {

constexpr size_t kArgumentsMax = 3;

// A reactor with what belongs to JavaScript. `reactor` is null after its stop.
struct Door {
  napi_env env;
  napi_ref callback = nullptr;
  napi_ref input = nullptr;
  napi_ref events = nullptr;
  Reactor* reactor = nullptr;
};

struct Arguments {
  napi_env env;
  napi_value values[kArgumentsMax] = {};
  size_t count = kArgumentsMax;

  Arguments(napi_env env_, napi_callback_info info) : env(env_) {
    if (napi_get_cb_info(env, info, &count, values, nullptr, nullptr) != napi_ok) count = 0;
  }
  Door* Opened() const {
    void* data = nullptr;
    if (count < 1 || napi_get_value_external(env, values[0], &data) != napi_ok) return nullptr;
    auto* door = static_cast<Door*>(data);
    return door->reactor == nullptr ? nullptr : door;
  }
  bool Bytes(size_t index, void** bytes, size_t* length) const {
    return napi_get_buffer_info(env, values[index], bytes, length) == napi_ok;
  }
  bool Integer(size_t index, int32_t* out) const {
    return index < count && napi_get_value_int32(env, values[index], out) == napi_ok;
  }
};

void CallTurn(void* context, size_t events) {
  auto* door = static_cast<Door*>(context);
  napi_env env = door->env;
  napi_handle_scope scope = nullptr;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return;
  napi_value callback = nullptr;
  napi_value receiver = nullptr;
  napi_get_reference_value(env, door->callback, &callback);
  napi_get_global(env, &receiver);
  napi_value argument = Number(env, static_cast<int64_t>(events));
  const napi_status status = napi_make_callback(env, nullptr, receiver, callback, 1, &argument, nullptr);
  if (status == napi_pending_exception) {
    napi_value error = nullptr;
    napi_get_and_clear_last_exception(env, &error);
    napi_fatal_exception(env, error);
  }
  napi_close_handle_scope(env, scope);
}

// reactorOpen(onTurn, input, events): a handle, or -errno
napi_value Open(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  void* input = nullptr;
  size_t input_bytes = 0;
  void* events = nullptr;
  size_t events_bytes = 0;
  uv_loop_t* loop = nullptr;
  if (args.count < 3 || !args.Bytes(1, &input, &input_bytes) || !args.Bytes(2, &events, &events_bytes) ||
      napi_get_uv_event_loop(env, &loop) != napi_ok) {
    return Number(env, -EINVAL);
  }
  auto* door = new Door{env};
  napi_create_reference(env, args.values[0], 1, &door->callback);
  napi_create_reference(env, args.values[1], 1, &door->input);
  napi_create_reference(env, args.values[2], 1, &door->events);
  door->reactor = new Reactor(static_cast<uint8_t*>(input), input_bytes, static_cast<ReactorEvent*>(events),
                              events_bytes / sizeof(ReactorEvent), CallTurn, door);
  napi_value handle = nullptr;
  napi_create_external(
      env, door, [](napi_env, void* data, void*) { delete static_cast<Door*>(data); }, nullptr, &handle);
  const int status = door->reactor->Start(loop);
  return status == 0 ? handle : Number(env, status);
}

// reactorAdd(handle, fd): takes over the descriptor; its slot, or -errno
napi_value Add(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  const Door* door = args.Opened();
  int32_t fd = 0;
  if (door == nullptr || !args.Integer(1, &fd)) return Number(env, -EINVAL);
  return Number(env, door->reactor->Add(fd));
}

// reactorDuplicate(fd): a descriptor of the same socket, or -errno
napi_value Duplicate(napi_env env, napi_callback_info info) {
  int32_t fd = 0;
  const Arguments args(env, info);
  if (!args.Integer(0, &fd)) return Number(env, -EINVAL);
  const int duplicate = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return Number(env, duplicate < 0 ? -errno : duplicate);
}

// reactorWatch(handle, slot, watched)
napi_value Watch(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  const Door* door = args.Opened();
  int32_t slot = 0;
  int32_t watched = 0;
  if (door == nullptr || !args.Integer(1, &slot) || !args.Integer(2, &watched)) return Number(env, -EINVAL);
  door->reactor->Watch(static_cast<size_t>(slot), watched);
  return nullptr;
}

// reactorClose(handle, slot)
napi_value Close(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  const Door* door = args.Opened();
  int32_t slot = 0;
  if (door == nullptr || !args.Integer(1, &slot)) return Number(env, -EINVAL);
  door->reactor->Close(static_cast<size_t>(slot));
  return nullptr;
}

// reactorStop(handle): no sockets are left
napi_value Stop(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  Door* door = args.Opened();
  if (door == nullptr) return Number(env, -EINVAL);
  door->reactor->Stop();
  door->reactor = nullptr;
  for (napi_ref reference : {door->callback, door->input, door->events}) napi_delete_reference(env, reference);
  return nullptr;
}

}  // namespace

bool ExportReactor(napi_env env, napi_value exports) {
  return Export(env, exports, "reactorOpen", Open) && Export(env, exports, "reactorDuplicate", Duplicate) &&
         Export(env, exports, "reactorAdd", Add) && Export(env, exports, "reactorWatch", Watch) &&
         Export(env, exports, "reactorClose", Close) && Export(env, exports, "reactorStop", Stop);
}

}  // namespace millrace

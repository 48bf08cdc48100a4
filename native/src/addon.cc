// The N-API edge: reads arguments, calls the plain C++ parts, returns numbers. No exception crosses it: arguments of
// the wrong kind answer -EINVAL, and src/native/ (the only caller) asserts that this never happens.

#include <node_api.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "bus_error.h"
#include "crc32c.h"
#include "door.h"
#include "file_lock.h"
#include "heap_trim_door.h"
#include "journal_write.h"
#include "lua_door.h"
#include "page_items.h"
#include "peer_exchange.h"
#include "reactor_door.h"
#include "socket_now.h"
#include "socket_send.h"
#include "turn_meter_door.h"

namespace {

using millrace::Export;
using millrace::Number;

constexpr size_t kArgumentsMax = 5;
constexpr uint32_t kPiecesMax = 64;

// Arguments of one call. Every reader returns false when the argument is missing or of another kind.
struct Arguments {
  napi_env env;
  napi_value values[kArgumentsMax] = {};
  size_t count = kArgumentsMax;

  Arguments(napi_env env_, napi_callback_info info) : env(env_) {
    if (napi_get_cb_info(env, info, &count, values, nullptr, nullptr) != napi_ok) count = 0;
  }
  bool Integer(size_t index, int64_t* out) const {
    return index < count && napi_get_value_int64(env, values[index], out) == napi_ok;
  }
  bool Bytes(size_t index, uint8_t** bytes, size_t* length) const {
    void* data = nullptr;
    if (index >= count || napi_get_buffer_info(env, values[index], &data, length) != napi_ok) return false;
    *bytes = static_cast<uint8_t*>(data);
    return true;
  }
};

// crc32c(bytes, from, to): checksum of bytes[from, to)
napi_value Crc32cOf(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  uint8_t* bytes = nullptr;
  size_t length = 0;
  int64_t from = 0;
  int64_t to = 0;
  if (!args.Bytes(0, &bytes, &length) || !args.Integer(1, &from) || !args.Integer(2, &to)) return Number(env, -EINVAL);
  if (from < 0 || to < from || static_cast<uint64_t>(to) > length) return Number(env, -EINVAL);
  return Number(env, millrace::Crc32c(0, bytes + from, static_cast<size_t>(to - from)));
}

// writeRecords(fd, bytes, length, offset): bytes written, or -errno
napi_value WriteRecords(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  int64_t fd = 0;
  uint8_t* bytes = nullptr;
  size_t capacity = 0;
  int64_t length = 0;
  int64_t offset = 0;
  if (!args.Integer(0, &fd) || !args.Bytes(1, &bytes, &capacity)) return Number(env, -EINVAL);
  if (!args.Integer(2, &length) || !args.Integer(3, &offset)) return Number(env, -EINVAL);
  if (length < 0 || static_cast<uint64_t>(length) > capacity || offset < 0) return Number(env, -EINVAL);
  return Number(env, millrace::WriteRecords(static_cast<int>(fd), bytes, static_cast<size_t>(length), offset));
}

// sendPieces(fd, pieces): bytes sent, or -errno
napi_value SendPieces(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  int64_t fd = 0;
  uint32_t count = 0;
  if (!args.Integer(0, &fd) || args.count < 2) return Number(env, -EINVAL);
  if (napi_get_array_length(env, args.values[1], &count) != napi_ok) return Number(env, -EINVAL);
  iovec pieces[kPiecesMax];
  if (count > kPiecesMax) count = kPiecesMax;
  for (uint32_t i = 0; i < count; i++) {
    napi_value piece = nullptr;
    if (napi_get_element(env, args.values[1], i, &piece) != napi_ok) return Number(env, -EINVAL);
    if (napi_get_buffer_info(env, piece, &pieces[i].iov_base, &pieces[i].iov_len) != napi_ok) {
      return Number(env, -EINVAL);
    }
  }
  return Number(env, millrace::SendPieces(static_cast<int>(fd), pieces, count));
}

// sendPiece(fd, piece): as sendPieces, of one: no array has to be looked into
napi_value SendPiece(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  int64_t fd = 0;
  uint8_t* bytes = nullptr;
  size_t length = 0;
  if (!args.Integer(0, &fd) || !args.Bytes(1, &bytes, &length)) return Number(env, -EINVAL);
  iovec piece = {bytes, length};
  return Number(env, millrace::SendPieces(static_cast<int>(fd), &piece, 1));
}

// shutDown(fd): 0, or -errno
napi_value ShutDown(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  int64_t fd = 0;
  if (!args.Integer(0, &fd)) return Number(env, -EINVAL);
  return Number(env, shutdown(static_cast<int>(fd), SHUT_WR) == 0 ? 0 : -errno);
}

// sayAtBusError(words): 0, or -errno
napi_value SayAtBusError(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  uint8_t* words = nullptr;
  size_t length = 0;
  if (!args.Bytes(0, &words, &length)) return Number(env, -EINVAL);
  return Number(env, millrace::SayAtBusError(words, length));
}

// guardMapped(path): 0, or -errno
napi_value GuardMapped(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  uint8_t* path = nullptr;
  size_t length = 0;
  if (!args.Bytes(0, &path, &length)) return Number(env, -EINVAL);
  return Number(env, millrace::GuardMapped(std::string(reinterpret_cast<const char*>(path), length).c_str()));
}

// unguardMapped(): 0
napi_value UnguardMapped(napi_env env, napi_callback_info) {
  millrace::UnguardMapped();
  return Number(env, 0);
}

// readFaults(): pages replaced ever
napi_value ReadFaults(napi_env env, napi_callback_info) { return Number(env, millrace::ReadFaults()); }

// restorePages(): how many were
napi_value RestorePages(napi_env env, napi_callback_info) { return Number(env, millrace::RestorePages()); }

// makeThreadMortal(): 0
napi_value MakeThreadMortal(napi_env env, napi_callback_info) {
  millrace::MakeThreadMortal();
  return Number(env, 0);
}

// lockFile(fd): 0, or -errno
napi_value LockFile(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  int64_t fd = 0;
  if (!args.Integer(0, &fd)) return Number(env, -EINVAL);
  return Number(env, millrace::LockFile(static_cast<int>(fd)));
}

constexpr size_t kPlaceBytes = 2 * sizeof(uint32_t);

// The places of `count` items in argument `index`. False when they are fewer.
bool Places(const Arguments& args, size_t index, int64_t count, uint32_t** places) {
  uint8_t* bytes = nullptr;
  size_t length = 0;
  if (!args.Bytes(index, &bytes, &length)) return false;
  *places = reinterpret_cast<uint32_t*>(bytes);
  return count >= 0 && static_cast<uint64_t>(count) <= length / kPlaceBytes;
}

// gatherItems(bytes, places, count, to, at): where the items end in `to`, or -EINVAL
napi_value GatherItems(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  uint8_t* bytes = nullptr;
  uint8_t* to = nullptr;
  uint32_t* places = nullptr;
  size_t length = 0;
  size_t room = 0;
  int64_t count = 0;
  int64_t at = 0;
  if (!args.Bytes(0, &bytes, &length) || !args.Integer(2, &count) || !args.Bytes(3, &to, &room) ||
      !args.Integer(4, &at) || !Places(args, 1, count, &places)) {
    return Number(env, -EINVAL);
  }
  if (at < 0 || static_cast<uint64_t>(at) > room) return Number(env, -EINVAL);
  const int64_t written = millrace::GatherItems(bytes, length, places, static_cast<size_t>(count), to + at,
                                                room - static_cast<size_t>(at));
  return Number(env, written < 0 ? -EINVAL : at + written);
}

// placeItems(bytes, places, count): how many bytes all keys begin with, or -EINVAL
napi_value PlaceItems(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  uint8_t* bytes = nullptr;
  uint32_t* places = nullptr;
  size_t length = 0;
  int64_t count = 0;
  if (!args.Bytes(0, &bytes, &length) || !args.Integer(2, &count) || !Places(args, 1, count, &places)) {
    return Number(env, -EINVAL);
  }
  const int64_t skip = millrace::PlaceItems(bytes, length, places, static_cast<size_t>(count));
  return Number(env, skip < 0 ? -EINVAL : skip);
}

// adjustExternalMemory(bytes): what V8 counts from then on
napi_value AdjustExternalMemory(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  int64_t bytes = 0;
  int64_t counted = 0;
  if (!args.Integer(0, &bytes)) return Number(env, -EINVAL);
  napi_adjust_external_memory(env, bytes, &counted);
  return Number(env, counted);
}

// canMap(bytes): whether the system gives so much now
napi_value CanMap(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  int64_t bytes = 0;
  napi_value result = nullptr;
  bool given = true;
  if (args.Integer(0, &bytes) && bytes > 0) {
    const auto length = static_cast<size_t>(bytes);
    void* room = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    given = room != MAP_FAILED && munmap(room, length) == 0;
  }
  napi_get_boolean(env, given, &result);
  return result;
}

// reserveRoom(fd, offset, bytes): 0, or -errno
napi_value ReserveRoom(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  int64_t fd = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  if (!args.Integer(0, &fd) || !args.Integer(1, &offset) || !args.Integer(2, &bytes)) return Number(env, -EINVAL);
  return Number(env, millrace::ReserveRoom(static_cast<int>(fd), offset, bytes));
}

// receiveNow(fd, bytes): bytes received, 0 at the end, or -errno
napi_value ReceiveNow(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  int64_t fd = 0;
  uint8_t* bytes = nullptr;
  size_t length = 0;
  if (!args.Integer(0, &fd) || !args.Bytes(1, &bytes, &length)) return Number(env, -EINVAL);
  return Number(env, millrace::ReceiveNow(static_cast<int>(fd), bytes, length));
}

// acceptNow(fd): the new descriptor, or -errno
napi_value AcceptNow(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  int64_t fd = 0;
  if (!args.Integer(0, &fd)) return Number(env, -EINVAL);
  return Number(env, millrace::AcceptNow(static_cast<int>(fd)));
}

// exchange(host, port, timeoutMs, request, lines): where it ended (ExchangeStage) in the first byte, then what was read
napi_value Exchange(napi_env env, napi_callback_info info) {
  const Arguments args(env, info);
  uint8_t* host = nullptr;
  uint8_t* request = nullptr;
  size_t host_length = 0;
  size_t length = 0;
  int64_t port = 0;
  int64_t timeout_ms = 0;
  int64_t lines = 0;
  if (!args.Bytes(0, &host, &host_length) || !args.Integer(1, &port) || !args.Integer(2, &timeout_ms) ||
      !args.Bytes(3, &request, &length) || !args.Integer(4, &lines) || lines < 0) {
    return nullptr;
  }
  std::string reply(1, '\0');
  const std::string name(reinterpret_cast<const char*>(host), host_length);
  reply[0] = static_cast<char>(millrace::Exchange(name, static_cast<int>(port), static_cast<int>(timeout_ms), request,
                                                  length, static_cast<size_t>(lines), &reply));
  napi_value result = nullptr;
  napi_create_buffer_copy(env, reply.size(), reply.data(), nullptr, &result);
  return result;
}

napi_value Init(napi_env env, napi_value exports) {
  const bool complete = Export(env, exports, "crc32c", Crc32cOf) &&
                        Export(env, exports, "writeRecords", WriteRecords) &&
                        Export(env, exports, "reserveRoom", ReserveRoom) &&
                        Export(env, exports, "sendPieces", SendPieces) &&
                        Export(env, exports, "sendPiece", SendPiece) &&
                        Export(env, exports, "shutDown", ShutDown) &&
                        Export(env, exports, "receiveNow", ReceiveNow) &&
                        Export(env, exports, "acceptNow", AcceptNow) &&
                        Export(env, exports, "adjustExternalMemory", AdjustExternalMemory) &&
                        Export(env, exports, "canMap", CanMap) &&
                        Export(env, exports, "gatherItems", GatherItems) &&
                        Export(env, exports, "placeItems", PlaceItems) &&
                        Export(env, exports, "exchange", Exchange) &&
                        Export(env, exports, "sayAtBusError", SayAtBusError) &&
                        Export(env, exports, "guardMapped", GuardMapped) &&
                        Export(env, exports, "unguardMapped", UnguardMapped) &&
                        Export(env, exports, "readFaults", ReadFaults) &&
                        Export(env, exports, "restorePages", RestorePages) &&
                        Export(env, exports, "makeThreadMortal", MakeThreadMortal) &&
                        Export(env, exports, "lockFile", LockFile) && millrace::ExportLua(env, exports) &&
                        millrace::ExportHeapTrim(env, exports) && millrace::ExportReactor(env, exports) &&
                        millrace::ExportTurnMeter(env, exports);
  return complete ? exports : nullptr;
}

}  // namespace

NAPI_MODULE(NODE_GYP_MODULE_NAME, Init)

#include "journal_write.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "crc32c.h"

namespace millrace {
namespace {

constexpr size_t kLengthAt = 0;
constexpr size_t kCrcAt = 4;
constexpr size_t kCrcFrom = 8;
constexpr size_t kHeaderBytes = 28;

uint32_t GetU32(const uint8_t* bytes) {
  return uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

void PutU32(uint8_t* bytes, uint32_t value) {
  for (int i = 0; i < 4; i++) bytes[i] = static_cast<uint8_t>(value >> (8 * i));
}

bool SealRecords(uint8_t* bytes, size_t length) {
  size_t at = 0;
  while (at < length) {
    if (length - at < kHeaderBytes) return false;
    const size_t record = GetU32(bytes + at + kLengthAt);
    if (record < kHeaderBytes || record > length - at) return false;
    PutU32(bytes + at + kCrcAt, Crc32c(0, bytes + at + kCrcFrom, record - kCrcFrom));
    at += record;
  }
  return true;
}

}  // namespace

int64_t WriteRecords(int fd, uint8_t* bytes, size_t length, int64_t offset) {
  if (!SealRecords(bytes, length)) return -EINVAL;
  size_t done = 0;
  while (done < length) {
    const ssize_t wrote = pwrite(fd, bytes + done, length - done, offset + static_cast<int64_t>(done));
    if (wrote > 0) {
      done += static_cast<size_t>(wrote);
    } else if (wrote == 0) {
      return -EIO;
    } else if (errno != EINTR) {
      return -errno;
    }
  }
  return static_cast<int64_t>(length);
}

int64_t ReserveRoom(int fd, int64_t offset, int64_t length) {
#ifdef __linux__
  // Not posix_fallocate: where the file system cannot do it, that writes to each block.
  while (fallocate(fd, 0, offset, length) != 0) {
    if (errno != EINTR) return -errno;
  }
  return 0;
#else
  (void)fd, (void)offset, (void)length;
  return -ENOTSUP;
#endif
}

}  // namespace millrace

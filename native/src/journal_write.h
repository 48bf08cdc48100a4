// The journal's write: checksums and one pwrite for all records of a tick. Layout: docs/format/journal.md.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace {

// `bytes[0, length)` holds whole records. Fills in the checksum of each and writes all of them at `offset` of `fd`.
// Returns `length`, or -errno; then any part of the bytes may be in the file. -EINVAL when the lengths inside the
// records do not add up to `length` (nothing is written).
int64_t WriteRecords(int fd, uint8_t* bytes, size_t length, int64_t offset);

// Makes [offset, offset + length) blocks of the file that read as zeros, and the file as long. 0, or -errno.
int64_t ReserveRoom(int fd, int64_t offset, int64_t length);

}  // namespace millrace

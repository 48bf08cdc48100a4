// The journal's write: checksums and one pwrite for all records of a tick. Layout: docs/format/journal.md.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace {

// `bytes[0, length)` holds whole records. Fills in the checksum of each and writes all of them at `offset` of `fd`.
// Returns `length`, or -errno; then any part of the bytes may be in the file. -EINVAL when the lengths inside the
// records do not add up to `length` (nothing is written).
int64_t WriteRecords(int fd, uint8_t* bytes, size_t length, int64_t offset);

}  // namespace millrace

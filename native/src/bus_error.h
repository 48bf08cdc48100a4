// The end of a process that touches memory mapped from a file which cannot be read: the device failed, or the file is
// shorter than it should be.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace {

// From now on such an end writes `words` to standard error and exits with status 1; more than a page of them is cut.
// 0, or -errno.
int SayAtBusError(const uint8_t* words, size_t length);

}  // namespace millrace

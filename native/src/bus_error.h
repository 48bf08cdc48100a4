// A process that touches memory mapped from a file which cannot be read - the device failed, or the file is shorter
// than it should be - is sent a signal. Either it ends with words of ours, or, in the mapping of a guarded file, it
// finds zeros in place of the page, which its reader takes for damage.
//
// Invariants: (1) the count of faults goes up before anybody can see zeros; (2) a page of zeros is known to
// RestorePages(), or the process ends; (3) a mortal thread makes no zeros: its next step might be to write them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace {

// From now on such an end writes `words` to standard error and exits with status 1; more than a page of them is cut.
// 0, or -errno.
int SayAtBusError(const uint8_t* words, size_t length);

// From now on pages of that file, mapped already, are replaced when they cannot be read, but for the first two. One
// file at a time. 0, or -errno.
int GuardMapped(const char* path);

// The end of that. Before the file is unmapped.
void UnguardMapped();

// Pages that were replaced, ever.
int64_t ReadFaults();

// Maps the file again where its pages were replaced, so that the next look asks the device again. How many there were.
int64_t RestorePages();

// The process ends when the calling thread, and no other, meets a page that cannot be read.
void MakeThreadMortal();

}  // namespace millrace

#include "heap_trim.h"

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <chrono>
#include <cstdlib>

namespace millrace {

#ifdef __GLIBC__
namespace {

// Less what the allocator writes before a piece: a chunk is a power of two then.
constexpr size_t kOverhead = 16;
constexpr size_t kSizes[] = {(1 << 20) - kOverhead, (128 << 10) - kOverhead, (32 << 10) - kOverhead};
constexpr size_t kLevels = sizeof(kSizes) / sizeof(kSizes[0]);
constexpr size_t kPagesMax = 256;
constexpr size_t kEmptyMax = 16;

// The pages that lie in the piece as a whole, given back. The first one of them stays where it holds the piece's own
// beginning, and so does the last one: the allocator writes both.
uint64_t GiveBack(void* piece, size_t size) {
  static const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(piece);
  const uintptr_t from = (begin + page - 1) / page * page;
  const uintptr_t to = (begin + size) / page * page;
  if (to <= from || (to - from) / page > kPagesMax) return 0;
  unsigned char resident[kPagesMax];
  auto* start = reinterpret_cast<void*>(from);
  if (mincore(start, to - from, resident) != 0) return 0;
  uint64_t count = 0;
  for (size_t i = 0; i < (to - from) / page; i++) count += resident[i] & 1;
  if (count == 0 || madvise(start, to - from, MADV_DONTNEED) != 0) return 0;
  return count * page;
}

// The lowest bits of the size that glibc keeps before a piece say where it is from; malloc_usable_size goes by them.
// By way of an integer: what lies before an object is none of the compiler's business.
size_t Origin(const void* piece) {
  return *reinterpret_cast<const size_t*>(reinterpret_cast<uintptr_t>(piece) - sizeof(size_t)) & 7;
}
bool IsMapping(const void* piece) { return (Origin(piece) & 2) != 0; }
bool IsOfMainHeap(const void* piece) { return (Origin(piece) & 4) == 0; }

}  // namespace

HeapPass::~HeapPass() {
  for (void* piece : pieces_) free(piece);
}

bool HeapPass::Some(uint64_t bytes_max, uint64_t us_max) {
  using std::chrono::steady_clock;
  const auto until = steady_clock::now() + std::chrono::microseconds(us_max);
  if (!active_) {
    active_ = true;
    level_ = 0;
    empty_ = 0;
    given_ = 0;
  }
  heap_end_ = sbrk(0);
  do {
    if (level_ < kLevels) {
      if (!TakeOne(bytes_max)) {
        level_++;
        empty_ = 0;
      }
    } else if (!pieces_.empty()) {
      free(pieces_.back());
      pieces_.pop_back();
    } else {
      active_ = false;
      pieces_.shrink_to_fit();
      return false;
    }
  } while (steady_clock::now() < until);
  return true;
}

// False when there is no other of this size.
bool HeapPass::TakeOne(uint64_t bytes_max) {
  const size_t size = kSizes[level_];
  if (given_ >= bytes_max) return false;
  void* piece = malloc(size);
  if (piece == nullptr) return false;
  if (IsBeyond(piece)) {
    free(piece);
    return false;
  }
  pieces_.push_back(piece);
  const uint64_t given = GiveBack(piece, size);
  given_ += given;
  empty_ = given > 0 ? 0 : empty_ + 1;
  return IsOfMainHeap(piece) || empty_ < kEmptyMax;
}

// Whether the allocator had to ask the system for it. The heaps of other threads do not show: there, pieces that have
// nothing to give are a sign of it.
bool HeapPass::IsBeyond(const void* piece) const {
  return IsMapping(piece) || (IsOfMainHeap(piece) && sbrk(0) > heap_end_);
}

#else

// Another allocator gives back what it likes.
HeapPass::~HeapPass() = default;
bool HeapPass::Some(uint64_t, uint64_t) { return false; }
bool HeapPass::TakeOne(uint64_t) { return false; }
bool HeapPass::IsBeyond(const void*) const { return false; }

#endif

}  // namespace millrace

// Gives memory that the allocator keeps free back to the system a little at a time. glibc's malloc_trim does it all in
// one go, some 0.2 ms a MiB, while nobody else can allocate; what a server frees in a moment may be half a gigabyte.
//
// A pass takes free pieces out of the allocator, large ones first, and keeps them so that it meets none twice; tells
// the system of each that its pages are not needed; and hands them all in again at the end. What is allocated meanwhile
// comes from elsewhere, which costs address space only.
//
// Reaches what is free in pieces of 32 KiB and more, in the part of the heap that the calling thread allocates from. A
// pass belongs to its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace {

class HeapPass {
 public:
  ~HeapPass();

  // Goes on, or begins one of at most so many bytes given back, for so many microseconds about. False once it is over.
  bool Some(uint64_t bytes_max, uint64_t us_max);
  // Bytes that it has given back, or that the last one has.
  uint64_t given() const { return given_; }

 private:
  bool TakeOne(uint64_t bytes_max);
  bool IsBeyond(const void* piece) const;

  std::vector<void*> pieces_;
  size_t level_ = 0;
  bool active_ = false;
  // Pieces one after another that had nothing to give: the allocator has gone over to memory that was never used.
  size_t empty_ = 0;
  uint64_t given_ = 0;
  void* heap_end_ = nullptr;
};

}  // namespace millrace

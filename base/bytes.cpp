#include "base/bytes.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace serverlab {

void Bytes::append(ByteView bytes) {
  if (bytes.empty()) return;  // memcpy from a null pointer is undefined even for no bytes
  std::memcpy(prepare(bytes.size()).data(), bytes.data(), bytes.size());
  commit(bytes.size());
}

std::span<std::byte> Bytes::prepare(std::size_t size) {
  if (capacity_ - end_ < size) make_room(size);
  return {data_.get() + end_, capacity_ - end_};
}

void Bytes::consume(std::size_t size) {
  assert(size <= this->size());
  begin_ += static_cast<std::uint32_t>(size);
  if (begin_ == end_) clear();
}

// Moves the content to the front when at least half of the memory is free, else doubles: both
// keep an append cheap on the average. The first memory is what is asked for: many queues hold one
// reply, and give their memory back when it is sent.
void Bytes::make_room(std::size_t size) {
  const std::size_t needed = this->size() + size;
  if (needed > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
  if (needed <= capacity_ / 2) {
    std::memmove(data_.get(), data_.get() + begin_, this->size());
  } else {
    constexpr std::size_t smallest = 64;
    const std::size_t wanted = std::max(smallest, capacity_ == 0 ? needed : 2 * needed);
    const std::size_t capacity =
        std::min<std::size_t>(std::numeric_limits<std::uint32_t>::max(), wanted);
    auto grown = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (!empty()) std::memcpy(grown.get(), data_.get() + begin_, this->size());
    data_ = std::move(grown);
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  end_ -= begin_;
  begin_ = 0;
}

void Bytes::swap(Bytes& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(capacity_, other.capacity_);
  std::swap(begin_, other.begin_);
  std::swap(end_, other.end_);
}

}  // namespace serverlab

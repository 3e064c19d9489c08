#pragma once

// A growable queue of bytes: append at the back, consume at the front. Every buffer of the programs
// is one of these, or a span into one. It holds no memory until something is appended, so that an
// idle connection costs none.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace serverlab {

using ByteView = std::span<const std::byte>;

inline ByteView bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Bytes {
 public:
  ByteView view() const { return {data_.get() + begin_, end_ - begin_}; }
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }

  void append(ByteView bytes);
  void append(std::string_view text) { append(bytes_of(text)); }

  /// At least `size` writable bytes behind the content; `commit` makes the first of them content.
  std::span<std::byte> prepare(std::size_t size);
  void commit(std::size_t size) { end_ += static_cast<std::uint32_t>(size); }

  /// Drops `size` bytes from the front.
  void consume(std::size_t size);

  /// Empties, keeps the memory for reuse.
  void clear() { begin_ = end_ = 0; }

  /// Empties and gives the memory back.
  void release() { *this = Bytes(); }

  Bytes() = default;
  ~Bytes() = default;
  Bytes(Bytes&& other) noexcept { swap(other); }
  Bytes& operator=(Bytes&& other) noexcept {
    Bytes taken(std::move(other));
    swap(taken);
    return *this;
  }

 private:
  void swap(Bytes& other) noexcept;
  void make_room(std::size_t size);

  std::unique_ptr<std::byte[]> data_;
  std::uint32_t capacity_ = 0;  // 32 bits, so that an idle connection's two queues stay small
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
};

}  // namespace serverlab

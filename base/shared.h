#pragma once

// An object in memory that forked processes go on sharing.

#include <new>
#include <sys/mman.h>

namespace serverlab {

template <class T>
class Shared {
 public:
  /// @throws std::bad_alloc if the system gives no more memory
  Shared() {
    void* memory =
        ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    object_ = new (memory) T();
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    object_->~T();
    ::munmap(static_cast<void*>(object_), sizeof(T));
  }

  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }

 private:
  T* object_;
};

}  // namespace serverlab

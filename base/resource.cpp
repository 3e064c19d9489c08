#include "base/resource.h"

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace serverlab {
namespace {

bool is_of_memory(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
}

}  // namespace

std::string_view name_of(Resource resource) {
  switch (resource) {
    case Resource::memory: return "memory";
    case Resource::descriptors: return "descriptors";
    case Resource::threads: return "threads";
    case Resource::ports: return "ports";
  }
  std::unreachable();
}

const char* reason_of(const std::exception& error) {
  return is_of_memory(error) ? "out of memory" : error.what();
}

const char* sentence_of(const std::exception& error) {
  return is_of_memory(error) ? "out of memory; allow the program more (ulimit -v), or ask for less"
                             : error.what();
}

std::optional<Resource> resource_of(const std::exception& error) {
  if (const auto* shortage = dynamic_cast<const OutOf*>(&error)) return shortage->resource;
  if (is_of_memory(error)) return Resource::memory;
  const auto* call = dynamic_cast<const std::system_error*>(&error);
  switch (call == nullptr ? 0 : call->code().value()) {
    case ENOMEM: return Resource::memory;
    case EMFILE:
    case ENFILE: return Resource::descriptors;
    case EAGAIN: return Resource::threads;
    default: return std::nullopt;
  }
}

}  // namespace serverlab

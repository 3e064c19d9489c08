#pragma once

// What a program ran out of: a code beside the sentence of an error, for other programs.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace serverlab {

enum class Resource : std::uint8_t { memory, descriptors, threads, ports };

std::string_view name_of(Resource resource);

/// The part of an error that names the resource.
struct OutOf {
  Resource resource;
};

/// What an error says, where a failed allocation says the name of a type. Allocates nothing.
/// @return of a failed allocation "out of memory", otherwise the error's own text
const char* reason_of(const std::exception& error);

/// The same, and of a failed allocation what to do, too.
const char* sentence_of(const std::exception& error);

/// An error of any kind that names the resource.
template <class Error = std::runtime_error>
// NOLINTNEXTLINE(misc-multiple-inheritance): found by handlers of its kind, and as OutOf
struct Shortage : Error, OutOf {
  Shortage(Resource scarce, const std::string& text) : Error(text), OutOf{scarce} {}
};

/// The resource that an error is about: of a Shortage, of memory, or of a failed system call. None
/// if it is about something else.
std::optional<Resource> resource_of(const std::exception& error);

}  // namespace serverlab

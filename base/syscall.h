#pragma once

// The set-up regime of errors: a system call that fails while a program gets ready ends it with one
// sentence. On the data path failures are values instead (net/stream.h).

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace serverlab {

/// Passes a system call's result through.
/// @throws std::system_error that names the call, if the result is negative
template <class Result>
Result check(Result result, std::string_view call) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), std::string(call));
  return result;
}

}  // namespace serverlab

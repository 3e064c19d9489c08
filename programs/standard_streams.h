#pragma once

// Descriptors 0, 1 and 2 of a program, and what it prints on 1.

#include <string>
#include <string_view>

namespace serverlab {

/// Opens those of the three that are closed on /dev/null. Otherwise the next socket or file takes
/// the number, and what the program prints goes there. To be called before anything is opened.
void open_standard_streams();

/// From now on a write to a pipe without a reader, or beyond the limit of file sizes, is an error
/// of that write, and no signal ends the process.
void ignore_write_signals();

/// Writes text to stdout at once. If that fails, the program goes on, and its first failure is said
/// on stderr in one sentence. A reader that has gone (EPIPE) is no failure. From any thread, and
/// async-signal-safe.
void print_out(std::string_view text);

/// Whether print_out has failed: the exit status is not to be 0 then.
bool printing_failed();

}  // namespace serverlab

#pragma once

// What can be set about a connection's socket, at either end, by the same names.

#include "base/settings.h"

#include <span>
#include <string>

namespace serverlab {

struct SocketOptions {
  bool nodelay = true;
  int send_buffer_bytes = 0;     // 0 leaves the kernel's autotuning on
  int receive_buffer_bytes = 0;  // 0 leaves the kernel's autotuning on
  std::string congestion;        // empty leaves the system's default
};

/// nodelay, send-buffer, receive-buffer, congestion.
std::span<const Setting> socket_settings();

/// @throws BadSetting
SocketOptions socket_options(const Settings& settings);

/// Sets the options on a socket; what it accepts inherits them.
/// @throws std::system_error that names the option
void apply(const SocketOptions& options, int fd);

}  // namespace serverlab

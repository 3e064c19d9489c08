#pragma once

// The server's log of its clients: a row a connection, written as it ends.

#include "base/shared.h"
#include "services/service.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace serverlab {

/// A file of rows, tab-separated, under a line of headings. Forked processes may write to it, too.
class ServerConnectionLog {
 public:
  /// @throws std::runtime_error if the file cannot be written
  explicit ServerConnectionLog(std::string path);

  /// Appends a row with its line end, from any thread. After the first one that cannot be written,
  /// the others are only counted: a log with gaps would look whole.
  void write(std::string_view row);

  /// Call it once, when nothing is written any more.
  /// @throws std::runtime_error that says why rows are lost, and how many
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Counts {
    std::atomic<std::uint64_t> rows = 0;
    std::atomic<std::uint64_t> lost = 0;
    std::atomic<int> error = 0;  // errno of the first row that could not be written
  };

  bool put(std::string_view text);

  std::string path_;
  std::mutex mutex_;
  std::unique_ptr<std::FILE, Close> file_;  // written under mutex_
  Shared<Counts> counts_;
};

/// The same service, with a row in the log for each connection: when it was accepted (UTC), the
/// client's address, how long it was open, its requests and its bytes.
Service logged(Service service, std::shared_ptr<ServerConnectionLog> log);

}  // namespace serverlab

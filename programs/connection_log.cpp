#include "programs/connection_log.h"

#include "base/clock.h"
#include "net/address.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace serverlab {
namespace {

using WallClock = std::chrono::system_clock;

struct Row {
  WallClock::time_point accepted_at = WallClock::now();
  Instant began = now();
  Address client;
  std::uint64_t requests = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

class Log {
 public:
  explicit Log(const std::string& path) : file_(path) {
    file_ << "accepted_at\tclient\tduration_s\trequests\tbytes_in\tbytes_out\n" << std::flush;
    if (!file_) throw std::runtime_error(fmt::format("cannot write {}", path));
  }

  void write(const Row& row) {
    using std::chrono::floor, std::chrono::microseconds;
    const auto accepted_at = floor<microseconds>(row.accepted_at);
    const std::string line = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z\t{}\t{:.6f}\t{}\t{}\t{}\n",
                                         fmt::gmtime(WallClock::to_time_t(accepted_at)),
                                         accepted_at.time_since_epoch().count() % std::micro::den,
                                         row.client.to_string(), seconds(now() - row.began),
                                         row.requests, row.bytes_in, row.bytes_out);
    const std::scoped_lock lock(mutex_);
    file_ << line << std::flush;
  }

 private:
  std::mutex mutex_;
  std::ofstream file_;  // guarded by mutex_
};

/// Passes everything on, counts it, and writes the row when it goes.
class LoggedSession {
 public:
  LoggedSession(AnySession session, std::shared_ptr<Log> log, Address client) :
      session_(std::move(session)), row_(new Row{.client = client}, {std::move(log)}) {}

  Progress advance(ByteView input, Bytes& output) {
    const std::size_t unsent = output.size();
    const Progress progress = session_.advance(input, output);
    row_->requests += progress.requests;
    row_->bytes_in += progress.consumed;
    row_->bytes_out += output.size() - unsent;
    return progress;
  }

 private:
  struct WriteAndDelete {
    std::shared_ptr<Log> log;
    void operator()(Row* row) const {
      log->write(*row);
      delete row;
    }
  };

  AnySession session_;
  std::unique_ptr<Row, WriteAndDelete> row_;
};

}  // namespace

Service logged(Service service, const std::string& path) {
  service.open = [open = std::move(service.open),
                  log = std::make_shared<Log>(path)](int socket) -> AnySession {
    return LoggedSession(open(socket), log, Address::of_peer(socket));
  };
  return service;
}

}  // namespace serverlab

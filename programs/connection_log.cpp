#include "programs/connection_log.h"

#include "base/clock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <stdexcept>

namespace serverlab {
namespace {

using WallClock = std::chrono::system_clock;

struct Row {
  WallClock::time_point accepted_at = WallClock::now();
  Instant began = now();
  std::string client;
  std::uint64_t requests = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// The row as a line. Without memory of the heap: that may have run out when a connection ends.
class Line {
 public:
  explicit Line(const Row& row) {
    using std::chrono::floor, std::chrono::microseconds;
    const auto accepted_at = floor<microseconds>(row.accepted_at);
    const std::time_t second = WallClock::to_time_t(accepted_at);
    std::tm utc{};
    char date[32];
    const std::size_t size =
        std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", ::gmtime_r(&second, &utc));
    const auto written = fmt::format_to_n(
        text_.data(), text_.size(), "{}.{:06}Z\t{}\t{:.6f}\t{}\t{}\t{}\n",
        std::string_view(date, size), accepted_at.time_since_epoch().count() % std::micro::den,
        row.client, seconds(now() - row.began), row.requests, row.bytes_in, row.bytes_out);
    size_ = std::min(written.size, text_.size());
  }

  std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 256> text_{};  // a client's address has at most 53 characters
  std::size_t size_ = 0;
};

/// Passes everything on, counts it, and writes the row when it goes.
class LoggedSession {
 public:
  LoggedSession(AnySession session, std::shared_ptr<ServerConnectionLog> log, std::string client) :
      session_(std::move(session)), row_(new Row{.client = std::move(client)}, {std::move(log)}) {}

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
    std::shared_ptr<ServerConnectionLog> log;
    void operator()(Row* row) const {
      log->write(Line(*row).text());
      delete row;
    }
  };

  AnySession session_;
  std::unique_ptr<Row, WriteAndDelete> row_;
};

}  // namespace

ServerConnectionLog::ServerConnectionLog(std::string path) :
    path_(std::move(path)), file_(std::fopen(path_.c_str(), "we")) {
  const std::string_view headings =
      "accepted_at\tclient\tduration_s\trequests\tbytes_in\tbytes_out\n";
  if (!file_ || !put(headings))
    throw std::runtime_error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

void ServerConnectionLog::write(std::string_view row) {
  const std::scoped_lock lock(mutex_);
  ++counts_->rows;
  if (counts_->error == 0 && put(row)) return;
  if (counts_->error == 0) counts_->error = errno;
  ++counts_->lost;
}

void ServerConnectionLog::close() {
  const bool is_closed = std::fclose(file_.release()) == 0;
  if (counts_->error == 0 && is_closed) return;
  const int error = counts_->error == 0 ? errno : counts_->error.load();
  throw std::runtime_error(fmt::format("cannot write {}: {}; {} of {} rows are lost", path_,
                                       std::strerror(error), counts_->lost.load(),
                                       counts_->rows.load()));
}

bool ServerConnectionLog::put(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() &&
         std::fflush(file_.get()) == 0;
}

Service logged(Service service, std::shared_ptr<ServerConnectionLog> log) {
  service.open = [open = std::move(service.open),
                  log = std::move(log)](const Service::Peer& peer) -> AnySession {
    return LoggedSession(open(peer), log, peer.address());
  };
  return service;
}

}  // namespace serverlab

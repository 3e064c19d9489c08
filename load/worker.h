#pragma once

// One thread (or process) of the generator: its connections, its loop, its accounts.
//
//   connect ─▶ await beat ─▶ │ issue what is due ─▶ wait ─▶ check and record │ ─▶ drain ─▶ report
//                  ▲         └─────────── until the segment's end ───────────┘      │
//                  └────────────────────────── next segment ────────────────────────┘

#include "load/connection_log.h"
#include "load/models/model.h"
#include "load/recorder.h"
#include "load/transports/transport.h"

#include <deque>
#include <vector>

namespace serverlab {

/// A stretch of the load's time, against one target. An ordinary load has one segment.
struct Segment {
  std::uint32_t target = 0;
  Duration warmup{};
  bool until_steady = false;  // the warm-up ends when it is steady; `warmup` is its limit
  Duration window{};
  Duration interval{};  // of the window: how often a tally is handed over
};

/// Which connections are a worker's: `connections` to each target, numbered from `first` on.
struct Share {
  std::uint32_t worker = 0;
  std::uint32_t first = 0;
  std::uint32_t connections = 0;
};

class Worker final : TransportEvents, Issuer {
 public:
  Worker(const LoadOptions& options, const Workload& workload, std::span<const Segment> segments,
         Share share, const Beat& beat, WorkerReport& report);

  void run();

 private:
  enum class GivenUp { lost, in_flight_at_end };
  struct Opening {
    Instant due;
    Peer* peer = nullptr;
  };

  // From the transport.
  void connected(Peer& peer) override;
  void received(Peer& peer, ByteView bytes) override;
  void ended(Peer& peer) override;
  void failed(Peer& peer, int error) override;

  // For the model.
  void intend(Instant intended) override;
  void issue(Peer& peer, Instant intended, Instant due) override;
  void flush(Peer& peer) override;
  void drop(Instant intended) override;
  void open(Peer& peer) override;
  void close(Peer& peer, Instant began) override;

  void connect_all();
  bool await_beat(std::uint32_t segment);
  void run_segment(std::uint32_t index);
  void end_issuing(Instant end);
  void drain(Instant limit);
  void wait(Instant now, Instant until);
  void stamp(Peer& peer, Instant sent);
  void stamp_all(Instant sent);
  void connect(Peer& peer, Instant now);
  void refused(Peer& peer, int error);
  void take_replies(Peer& peer, ByteView bytes, Instant now);
  void lose(Peer& peer, ErrorClass error);
  void give_up_requests(Peer& peer, Instant now, GivenUp why);
  void abandon(Peer& peer, Instant now);
  void open_due(Instant now);
  void give_up_overdue(Instant now);
  void report_fairness();
  AnyClient open_client(std::uint32_t number) const;
  std::span<Peer> peers_of(std::uint32_t target);

  static constexpr std::uint32_t nobody = UINT32_MAX;

  const LoadOptions& options_;
  const Workload& workload_;
  std::span<const Segment> segments_;
  Share share_;
  const Beat& beat_;
  WorkerReport& report_;

  std::vector<Peer> peers_;  // by target, then by number
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Model> model_;
  Recorder recorder_;
  ConnectionLog connection_log_;
  Instant first_window_begin_;         // what the connection log's times count from
  Bytes batch_;                        // requests of the peer that is being issued to
  std::uint32_t batched_ = 0;          // how many
  std::vector<Peer*> unstamped_;       // peers whose requests go out with the next wait
  std::uint64_t in_flight_ = 0;        // over all peers
  std::uint32_t open_ = 0;             // peers that are open
  std::uint32_t connecting_ = 0;       // peers that are connecting
  std::deque<Opening> openings_;       // peers to be connected, roughly by due instant
  std::uint32_t issuing_to_ = nobody;  // the target whose peers may be issued to
  Instant issuing_until_;              // the segment's end; Instant::max() once it has been reached
  Instant next_timeout_check_;
};

}  // namespace serverlab

#pragma once

// One thread (or process) of the generator: its connections, its loop, its accounts.
//
//   connect ─▶ await beat ─▶ │ issue what is due ─▶ wait ─▶ check and record │ ─▶ drain ─▶ report
//                  ▲         └─────────── until the segment's end ───────────┘      │
//                  └────────────────────────── next segment ────────────────────────┘

#include "load/connecting.h"
#include "load/connection_log.h"
#include "load/issuing.h"
#include "load/models/model.h"
#include "load/recorder.h"
#include "load/segments.h"
#include "load/timeouts.h"
#include "load/transports/transport.h"

#include <vector>

namespace serverlab {

class Worker final : TransportEvents, Issuer {
 public:
  Worker(const LoadOptions& options, const Workload& workload, std::span<const Segment> segments,
         Share share, const Beat& beat, WorkerReport& report);

  void run();

 private:
  enum class GivenUp { lost, in_flight_at_end };

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
  void start_connecting(Instant begin);
  bool await_beat(std::uint32_t segment);
  void run_segment(std::uint32_t index);
  void end_issuing(Instant end);
  Instant end_if_done(Instant now, Instant end);
  Duration longest_turn() const;
  void drain(Instant limit);
  void wait(Instant now, Instant until);
  void refused(Peer& peer, int error);
  void take_replies(Peer& peer, ByteView bytes, Instant now);
  void note_wrong(const Peer& peer, ErrorClass error, const ExpectedReply& expected,
                  ByteView received, Instant now);
  void lose(Peer& peer, ErrorClass error);
  void give_up_requests(Peer& peer, Instant now, GivenUp why);
  void abandon(Peer& peer, Instant now);
  void connect_due(Instant now);
  void give_up_overdue(Instant now);
  void note_wait(Peer& peer, Instant now);
  void report_fairness();
  std::vector<Peer> make_peers() const;
  AnyClient open_client(std::uint32_t number) const;
  std::span<Peer> peers_of(std::uint32_t target);

  static constexpr std::uint32_t no_target = UINT32_MAX;

  const LoadOptions& options_;
  const Workload& workload_;
  std::span<const Segment> segments_;
  Share share_;
  std::uint32_t connections_;  // to each target, of this worker
  const Beat& beat_;
  WorkerReport& report_;

  std::vector<Peer> peers_;  // by target, then by number
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Model> model_;
  Recorder recorder_;
  Connecting connecting_;
  Timeouts timeouts_;
  Issuing issuing_;
  ConnectionLog connection_log_;
  Instant first_window_begin_;            // what the connection log's times count from
  std::uint64_t replies_ = 0;             // that were right, so far
  std::uint32_t issuing_to_ = no_target;  // the target whose peers may be issued to
  Instant issuing_until_;  // the segment's end; Instant::max() once it has been reached
};

}  // namespace serverlab

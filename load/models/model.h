#pragma once

// When requests are issued, and on which connection. A model decides; its worker does it, and
// keeps the accounts.
//
//   closed        each connection keeps `depth` requests in flight; an answer (and think time)
//                 intends the next
//   ramp          closed with more and more connections, or open with a changing rate
//   open          requests arrive by a schedule, and the first connection with room takes each;
//                 if none has, they wait
//   open-bounded  the same, but only so many may wait; the rest is dropped, and counted
//   hold          connections that idle, each probed in turn by a schedule
//   sessions      sessions arrive by a schedule: connect, some requests with think time, close
//   churn         each connection makes some requests, closes, and connects anew

#include "load/load_options.h"
#include "load/peer.h"

#include <memory>

namespace serverlab {

/// What a model may ask of its worker.
class Issuer {
 public:
  /// A request is intended at this instant, whether it can be issued or not.
  virtual void intend(Instant intended) = 0;

  /// Adds the peer's next request, one that was intended, to the peer's batch.
  /// @param due when it was intended and the peer had room for it: what comes after that is our
  ///     own lateness
  virtual void issue(Peer& peer, Instant intended, Instant due) = 0;

  /// Sends the peer's batch.
  virtual void flush(Peer& peer) = 0;

  /// A request that was intended will not be issued: too many wait already.
  virtual void drop(Instant intended) = 0;

  /// Connects a closed peer: `Model::opened` or `Model::lost` follows.
  virtual void open(Peer& peer) = 0;

  /// Closes a peer that has nothing in flight: the end of a session that began then.
  virtual void close(Peer& peer, Instant began) = 0;

 protected:
  ~Issuer() = default;
};

class Model {
 public:
  virtual ~Model() = default;

  /// Whether the worker keeps all peers open: before the load begins, and again when one is lost.
  virtual bool keeps_open() const { return true; }

  /// Requests may be issued from `begin` on.
  /// @param peers this worker's connections to the target whose turn it is
  virtual void begin(Instant begin, std::span<Peer> peers, Issuer& issuer) = 0;

  /// The window begins: a schedule begins anew, and who still waits from the warm-up is forgotten.
  virtual void begin_window(Instant /*begin*/) {}

  /// Nothing is intended from `end` on; what was intended before may still be issued.
  virtual void end(Instant end) = 0;

  /// Issues what is due.
  /// @return when to be called again at the latest
  virtual Instant issue_due(Instant now, Issuer& issuer) = 0;

  /// Whether requests were intended and are not issued yet, or will be by their session.
  virtual bool is_waiting() const { return false; }

  /// The load waits no longer: what was to be intended before its end and is not yet, is now.
  virtual void give_up(Issuer& /*issuer*/) {}

  /// A peer has had this many answers, and has room for as many requests.
  virtual void answered(Peer& peer, std::uint32_t answers, Instant now, Issuer& issuer) = 0;

  /// A peer is open, with nothing in flight.
  virtual void opened(Peer& peer, Instant now, Issuer& issuer) = 0;

  /// A peer was lost, or could not be opened; what it had in flight is given up.
  virtual void lost(Peer& /*peer*/, Instant /*now*/, Issuer& /*issuer*/) {}
};

/// @param worker which of the load's workers, all of whom have a model with the same options
/// @param window how long the measured window is, over which a ramp goes
std::unique_ptr<Model> make_model(const ModelOptions& options, std::uint32_t worker,
                                  std::uint32_t workers, Duration window);

std::unique_ptr<Model> make_closed_model(const ModelOptions& options, std::uint32_t worker,
                                         std::uint32_t workers, Duration window);
std::unique_ptr<Model> make_open_model(const ModelOptions& options, std::uint32_t worker,
                                       std::uint32_t workers, Duration window);
std::unique_ptr<Model> make_session_model(const ModelOptions& options, std::uint32_t worker,
                                          std::uint32_t workers);

}  // namespace serverlab

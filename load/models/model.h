#pragma once

// When requests are issued, and on which connection. A model decides; its worker does it, and
// keeps the accounts. load/models/catalog.cpp lists the models and what each does.

#include "load/models/options.h"
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

  /// The window begins: a schedule starts again, and waiting arrivals of the warm-up are forgotten.
  virtual void begin_window(Instant /*begin*/) {}

  /// Nothing is intended from `end` on; what was intended before may still be issued.
  virtual void end(Instant end) = 0;

  /// Issues what is due.
  /// @return when to be called again at the latest
  virtual Instant issue_due(Instant now, Issuer& issuer) = 0;

  /// Whether requests were intended and are not issued yet, or will be by their session.
  virtual bool is_waiting() const { return false; }

  /// How many of its peers have not done yet what they were to do. Of a model that ends by itself
  /// (ModelOptions::ends_when_done); others have none.
  virtual std::uint32_t unfinished() const { return 0; }

  /// The drain is over: arrivals before the load's end that are not intended yet are intended now.
  virtual void give_up(Issuer& /*issuer*/) {}

  /// A peer has received this many replies, and has room for as many requests.
  virtual void replied(Peer& peer, std::uint32_t replies, Instant now, Issuer& issuer) = 0;

  /// A peer is open, with nothing in flight.
  virtual void opened(Peer& peer, Instant now, Issuer& issuer) = 0;

  /// A peer was lost, or could not be opened; what it had in flight is given up.
  virtual void lost(Peer& /*peer*/, Instant /*now*/, Issuer& /*issuer*/) {}
};

/// @param share which of the load's workers it is of; all have a model with the same options
/// @param window how long the measured window is, over which a ramp goes; of clients that start on
///     their own, the time of each
std::unique_ptr<Model> make_model(const ModelOptions& options, Share share, Duration window);

std::unique_ptr<Model> make_closed_model(const ModelOptions& options, Share share, Duration window);
std::unique_ptr<Model> make_open_model(const ModelOptions& options, Share share, Duration window);
std::unique_ptr<Model> make_session_model(const ModelOptions& options, Share share);

}  // namespace serverlab

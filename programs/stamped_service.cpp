#include "programs/stamped_service.h"

#include "load/times_json.h"
#include "programs/process.h"

#include <nlohmann/json.hpp>

namespace serverlab {
namespace {

/// Passes everything on, and stamps it; its own end is the connection's.
class StampedSession {
 public:
  StampedSession(AnySession session, SharedStamps stamps) :
      session_(std::move(session)), life_(new Life, {std::move(stamps)}) {}

  Progress advance(ByteView input, Bytes& output) {
    const StampedTurn turn(stamps());
    const Instant began = now();
    const Progress progress = session_.advance(input, output);
    Message& work = life_->message;
    work.time += now() - began;
    work.in_store += turn.in_store();
    work.reached_store = work.reached_store || turn.reached_store();
    work.requests += progress.requests;
    if (progress.next != Next::flush) stamp(std::exchange(work, {}));
    return progress;
  }

 private:
  /// What the session works on: usually a message, or several that came together.
  struct Message {
    Duration time{};
    Duration in_store{};
    bool reached_store = false;
    std::uint32_t requests = 0;
  };
  struct Life {
    Instant began = now();
    Message message;
  };
  struct StampAndDelete {
    SharedStamps stamps;
    void operator()(Life* life) const {
      (*stamps)->connection.record((now() - life->began).count());
      delete life;
    }
  };

  Stamps& stamps() const { return **life_.get_deleter().stamps; }

  void stamp(const Message& work) {
    if (work.requests == 0) return;
    stamps().message.record(work.time.count() / work.requests, work.requests);
    if (!work.reached_store) return;
    stamps().store.record(work.in_store.count() / work.requests, work.requests);
  }

  AnySession session_;
  std::unique_ptr<Life, StampAndDelete> life_;
};

}  // namespace

Service stamped(Service service, SharedStamps stamps) {
  service.open = [open = std::move(service.open),
                  stamps = std::move(stamps)](const Service::Peer& peer) -> AnySession {
    return StampedSession(open(peer), stamps);
  };
  return service;
}

std::string stamps_json(const Stamps& stamps) {
  return Json({{"message_ns", times_json(*stamps.message.total())},
               {"store_ns", times_json(*stamps.store.total())},
               {"lock_wait_ns", times_json(*stamps.lock_wait.total())},
               {"connection_ns", times_json(*stamps.connection.total())}})
      .dump();
}

}  // namespace serverlab

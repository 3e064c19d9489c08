#include "probe/calibration.h"

#include "base/owned_fd.h"
#include "base/syscall.h"
#include "probe/tracer.h"

#include <algorithm>
#include <array>
#include <functional>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace serverlab {
namespace {

constexpr int batches = 15;  // of a loop
constexpr int calls_in_batch = 200;
constexpr int passes_in_batch = 50;
constexpr int calls_in_ping = 4;
constexpr int switches_in_ping = 2;

// What the probe's programs have taken so far, by their own clock: nothing while there are none.
using Programs = std::function<Duration()>;

// The middle one of some batches: what disturbs one of them does not count, and the speed of the
// CPU does, which for a virtual machine depends on what else runs on the core.
Duration middle_of(const std::function<void()>& loop, int turns, const Programs& programs) {
  std::array<Duration, batches> took{};
  for (Duration& one : took) {
    const Duration programs_before = programs();
    const Instant begin = now();
    for (int turn = 0; turn < turns; ++turn) loop();
    const Duration in_all = now() - begin;
    one = (in_all - (programs() - programs_before)) / turns;
  }
  std::ranges::sort(took);
  return took[batches / 2];
}

// What a turn of each loop takes, without the probe's programs.
struct Turns {
  Duration call{};
  Duration datagram{};
  Duration ping{};
};

Duration call_turn(const Programs& programs) {
  return middle_of([] { ::syscall(SYS_getppid); }, calls_in_batch, programs);
}

}  // namespace

struct Calibration::Loops {
  // A datagram to oneself: the kernel receives it in a softirq of the sender.
  class Datagram {
   public:
    Datagram() : socket_(check(::socket(AF_INET, SOCK_DGRAM, 0), "socket")) {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      socklen_t size = sizeof address;
      auto* const raw = reinterpret_cast<sockaddr*>(&address);
      check(::bind(socket_.get(), raw, size), "bind");
      check(::getsockname(socket_.get(), raw, &size), "getsockname");
      check(::connect(socket_.get(), raw, size), "connect");
    }

    void pass() const {
      char byte = 0;
      check(::send(socket_.get(), &byte, 1, 0), "send");
      check(::recv(socket_.get(), &byte, 1, 0), "recv");
    }

   private:
    OwnedFd socket_;
  };

  // Two threads that wake each other in turns.
  class PingPong {
   public:
    PingPong() : other_([this] { answer(); }) {}
    PingPong(const PingPong&) = delete;
    PingPong& operator=(const PingPong&) = delete;
    ~PingPong() {
      there_.close_writer();
      other_.join();
    }

    void pass() {
      there_.write();
      back_.read();
    }

   private:
    class Pipe {
     public:
      Pipe() {
        std::array<int, 2> ends{};
        check(::pipe(ends.data()), "pipe");
        reader_ = OwnedFd(ends[0]);
        writer_ = OwnedFd(ends[1]);
      }
      bool read() const {
        char byte = 0;
        return ::read(reader_.get(), &byte, 1) == 1;
      }
      void write() const { check(::write(writer_.get(), "", 1), "write"); }
      void close_writer() { writer_.close(); }

     private:
      OwnedFd reader_;
      OwnedFd writer_;
    };

    void answer() const {
      while (there_.read()) back_.write();
    }

    Pipe there_;
    Pipe back_;
    std::thread other_;
  };

  Datagram datagram;
  PingPong ping_pong;

  Duration datagram_turn(const Programs& programs) {
    return middle_of([this] { datagram.pass(); }, passes_in_batch, programs);
  }

  Duration ping_turn(const Programs& programs) {
    return middle_of([this] { ping_pong.pass(); }, passes_in_batch, programs);
  }

  Turns turns(const Programs& programs) {
    return {.call = call_turn(programs),
            .datagram = datagram_turn(programs),
            .ping = ping_turn(programs)};
  }
};

Calibration::Calibration() : loops_(std::make_unique<Loops>()) {}
Calibration::~Calibration() = default;

ProbeCosts Calibration::attach(Tracer& tracer, std::size_t self) {
  const Programs programs = [&] { return Duration(tracer.part(self, part_probe).cpu_ns); };
  // What a loop spends in user mode between two calls.
  const auto user_mode_in = [&](const std::function<void()>& loop) {
    const LedgerPart before = tracer.part(self, part_user);
    loop();
    const LedgerPart after = tracer.part(self, part_user);
    return Duration((after.cpu_ns - before.cpu_ns) / (after.entries - before.entries));
  };
  const Turns plain = loops_->turns(programs);
  tracer.attach();
  Turns probed;
  const Duration after_call = user_mode_in([&] { probed.call = call_turn(programs); });
  probed.datagram = loops_->datagram_turn(programs);
  const Duration after_ping = user_mode_in([&] { probed.ping = loops_->ping_turn(programs); });
  const Duration extra = probed.call - plain.call;
  return {.call = extra,
          .softirq = probed.datagram - plain.datagram - 2 * extra,
          .context_switch = (probed.ping - plain.ping - calls_in_ping * extra) / switches_in_ping,
          .entry = after_call - extra / 2,
          .resumption = (after_ping - after_call) * calls_in_ping / switches_in_ping};
}

}  // namespace serverlab

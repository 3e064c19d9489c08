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

constexpr int batches = 12;  // of a loop: what disturbs one of them only adds
constexpr int calls_in_batch = 200;
constexpr int passes_in_batch = 50;

Duration least_of(const std::function<void()>& loop, int turns) {
  Duration least = Duration::max();
  for (int batch = 0; batch < batches; ++batch) {
    const Instant begin = now();
    for (int turn = 0; turn < turns; ++turn) loop();
    least = std::min(least, (now() - begin) / turns);
  }
  return least;
}

// What a turn of each loop takes.
struct Turns {
  Duration call{};
  Duration datagram{};
  Duration ping{};
};

Duration call_turn() {
  return least_of([] { ::syscall(SYS_getppid); }, calls_in_batch);
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

  Turns turns() {
    return {.call = call_turn(),
            .datagram = least_of([this] { datagram.pass(); }, passes_in_batch),
            .ping = least_of([this] { ping_pong.pass(); }, passes_in_batch)};
  }
};

Calibration::Calibration() : loops_(std::make_unique<Loops>()) {}
Calibration::~Calibration() = default;

ProbeCosts Calibration::attach(Tracer& tracer, std::size_t self) {
  const Turns plain = loops_->turns();
  tracer.attach();
  const LedgerPart before = tracer.part(self, part_user);
  const Duration call = call_turn();
  const LedgerPart after = tracer.part(self, part_user);
  const Turns probed = loops_->turns();
  const Duration extra = call - plain.call;
  const auto user = Duration((after.cpu_ns - before.cpu_ns) / (after.entries - before.entries));
  return {.call = extra,
          .softirq = probed.datagram - plain.datagram - 2 * extra,
          .context_switch = (probed.ping - plain.ping - 4 * extra) / 2,
          .entry = user - extra / 2};
}

}  // namespace serverlab

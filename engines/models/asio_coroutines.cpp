// asio-coroutines: one thread runs an Asio io_context; a coroutine for each connection.
//
//               ┌────────────────────── one thread ─────────────────────┐
//   clients ══▶ │ io_context.run(): wait in epoll ─▶ do the operation   │
//               │      ▲                                 │ resume       │
//               │      │ suspend    ┌────────────────────▼────────────┐ │
//               │      └────────────│ co_await read ─▶ session ─▶     │ │
//               │                   │ co_await write ─▶ read again …  │ │
//               │                   └─────────────────────────────────┘ │
//               └───────────────────────────────────────────────────────┘
//
// The order of a connection's operations is the order of its lines. Its state lives in the
// coroutine's frame, not in an object that each callback must keep alive.

#include "base/reserve.h"
#include "engines/connections/conversation.h"
#include "engines/connections/guarded.h"
#include "engines/connections/peer.h"
#include "engines/engine.h"
#include "engines/loops/asio_server.h"

#include <array>

namespace serverlab {
namespace {

/// Memory for the operations that coroutines await, one at a time each. It is there before the
/// coroutine is: in Boost 1.74 an operation for which there is none takes the program with it.
class Operations {
 public:
  /// Makes room for one coroutine more.
  void reserve_one() {
    const std::size_t needed = coroutines_ + 1;
    reserve_room(blocks_, needed);
    reserve_room(free_, needed);
    if (blocks_.size() < needed)
      free_.push_back(blocks_.emplace_back(std::make_unique<Block>()).get());
    coroutines_ = needed;
  }
  void free_one() { --coroutines_; }

  void* take(std::size_t bytes) {
    if (bytes > sizeof(Block)) return ::operator new(bytes);
    Block* block = free_.back();
    free_.pop_back();
    return block;
  }
  void give_back(void* memory, std::size_t bytes) {
    if (bytes > sizeof(Block)) return ::operator delete(memory);
    free_.push_back(static_cast<Block*>(memory));
  }

 private:
  struct Block {
    alignas(std::max_align_t) std::array<std::byte, 512> room;
  };

  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> free_;
  std::size_t coroutines_ = 0;
};

Operations& operations() {
  static thread_local Operations of_this_thread;
  return of_this_thread;
}

template <class T>
struct FromOperations {
  using value_type = T;
  FromOperations() = default;
  template <class U>
  FromOperations(const FromOperations<U>&) noexcept {}
  T* allocate(std::size_t count) { return static_cast<T*>(operations().take(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) {
    operations().give_back(memory, count * sizeof(T));
  }
  bool operator==(const FromOperations&) const = default;
};

// Of the context itself, so that to resume a coroutine allocates nothing.
using Executor = boost::asio::io_context::executor_type;

}  // namespace
}  // namespace serverlab

// What Asio asks a coroutine that awaits.
template <class... Args, class Otherwise>
struct boost::asio::associated_allocator<
    boost::asio::detail::awaitable_handler<serverlab::Executor, Args...>, Otherwise> {
  using type = serverlab::FromOperations<std::byte>;
  static type get(const boost::asio::detail::awaitable_handler<serverlab::Executor, Args...>&,
                  const Otherwise& = Otherwise()) noexcept {
    return {};
  }
};

namespace serverlab {
namespace {

using boost::asio::redirect_error;
using boost::asio::ip::tcp;
using boost::system::error_code;
using awaitable = boost::asio::awaitable<void, Executor>;
constexpr boost::asio::use_awaitable_t<Executor> use_awaitable;

/// Stands in the list of connections as long as its coroutine lives, however that ends.
class CoroutineConnection {
 public:
  CoroutineConnection(tcp::socket open, AnySession session, const StopSignal& stop,
                      std::shared_ptr<AsioConnections> connections) :
      socket_(std::move(open)),
      conversation_(socket_.native_handle(), std::move(session), stop),
      connections_(std::move(connections)) {
    operations().reserve_one();
    try {
      connections_->add(socket_.native_handle());
    } catch (...) {
      operations().free_one();
      throw;
    }
  }
  CoroutineConnection(const CoroutineConnection&) = delete;
  CoroutineConnection& operator=(const CoroutineConnection&) = delete;
  ~CoroutineConnection() {
    operations().free_one();
    connections_->remove(socket_.native_handle());
  }

  bool is_cut_off() const { return connections_->are_cut_off(); }

  tcp::socket& socket() { return socket_; }
  Conversation& conversation() { return conversation_; }

 private:
  tcp::socket socket_;
  Conversation conversation_;
  std::shared_ptr<AsioConnections> connections_;
};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): the server's, outlives it
awaitable converse(std::unique_ptr<CoroutineConnection> connection, const ServeOptions& options) {
  try {
    tcp::socket& socket = connection->socket();
    Conversation& conversation = connection->conversation();
    error_code error;  // the peer has ended, and has had all its replies; or it has vanished
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(options.read_buffer_bytes);
    const boost::asio::mutable_buffer input(memory.get(), options.read_buffer_bytes);
    Bytes output;
    Next next = Next::read_more;
    while (!error && next != Next::close) {
      const std::size_t size =
          co_await socket.async_read_some(input, redirect_error(use_awaitable, error));
      if (error || connection->is_cut_off()) break;
      next = conversation.advance({memory.get(), size}, output);
      while (!error && (!output.empty() || next == Next::flush)) {
        const boost::asio::const_buffer reply(output.view().data(), output.size());
        counters().bytes_out +=
            co_await boost::asio::async_write(socket, reply, redirect_error(use_awaitable, error));
        output.clear();
        if (next == Next::flush) next = conversation.advance({}, output);
      }
    }
    // The rest is read away: closing with unread input could destroy the last reply on its way.
    end_sending(socket.native_handle());
    while (!error) co_await socket.async_read_some(input, redirect_error(use_awaitable, error));
  } catch (...) {
    count_failed_connection(options);
  }
}

}  // namespace

void serve_asio_coroutines(const ServeOptions& options, const Service& service,
                           const StopSignal& stop) {
  constexpr int one_thread = 1;  // tells Asio that it needs no locks for its own queues
  boost::asio::io_context context(one_thread);
  const auto adopt = [&](tcp::socket socket, const std::shared_ptr<AsioConnections>& connections) {
    AnySession session = service.open(peer_of(socket.native_handle()));
    auto connection = std::make_unique<CoroutineConnection>(std::move(socket), std::move(session),
                                                            stop, connections);
    boost::asio::co_spawn(context, converse(std::move(connection), options), boost::asio::detached);
  };
  const AsioServer server(context, options, stop, adopt);
  options.announce(server.address());
  run_guarded(context, options);
}

}  // namespace serverlab

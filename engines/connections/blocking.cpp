#include "engines/connections/blocking.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace serverlab {
namespace {

// Enough for a session's frames. The default of 8 MiB would be mere address space, but 10 000
// times over. The thread sanitizer takes more than that for itself, and no thread could be made.
#ifdef __SANITIZE_THREAD__
constexpr std::size_t stack_bytes = 2 << 20;
#else
constexpr std::size_t stack_bytes = 256 << 10;
#endif

bool send_all(int fd, Bytes& output) {
  while (!output.empty()) {
    const Transfer sent = send(fd, output.view());
    if (sent.status != Transfer::Status::moved) return false;
    output.consume(sent.bytes);
  }
  return true;
}

// Closing with unread input would reset the connection and could destroy the last reply on its
// way; so the rest is read away, until the peer ends too or says nothing for a second.
void linger(int fd, Scratch& scratch) {
  end_sending(fd);
  const timeval patience = {.tv_sec = 1, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  while (receive(fd, scratch.input).status == Transfer::Status::moved) {
  }
}

}  // namespace

void set_stack_size() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

void converse(int fd, Conversation& conversation, Scratch& scratch) {
  scratch.output.clear();  // of a reply that an earlier peer did not take
  while (true) {
    const Transfer received = receive(fd, scratch.input);
    if (received.status != Transfer::Status::moved) return;
    Next next = conversation.advance(scratch.input.first(received.bytes), scratch.output);
    if (!send_all(fd, scratch.output)) return;
    while (next == Next::flush) {
      next = conversation.advance({}, scratch.output);
      if (!send_all(fd, scratch.output)) return;
    }
    if (next == Next::close) return linger(fd, scratch);
  }
}

}  // namespace serverlab

#include "engines/blocking.h"

#include <sys/socket.h>
#include <sys/time.h>

namespace serverlab {
namespace {

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

void converse(int fd, Conversation& conversation, Scratch& scratch) {
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

#pragma once

// A whole conversation on the calling thread, which sleeps in receive and in send. For engines that
// give a connection a thread; the engine decides which thread, and when.

#include "engines/connections/connection.h"

namespace serverlab {

/// Limits the stacks of threads created from now on to what a conversation needs.
void set_stack_size();

/// Serves a blocking socket until its conversation is over. The caller closes the socket.
void converse(int fd, Conversation& conversation, Scratch& scratch);

}  // namespace serverlab

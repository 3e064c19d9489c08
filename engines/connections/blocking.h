#pragma once

// A whole conversation on the calling thread, which sleeps in receive and in send. For engines that
// give a connection a thread; which thread, and when, is theirs to say.

#include "engines/connections/connection.h"

namespace serverlab {

/// Gives the threads that are made from now on stacks for a conversation, and no more.
void set_stack_size();

/// Serves a blocking socket until its conversation is over. The caller closes the socket.
void converse(int fd, Conversation& conversation, Scratch& scratch);

}  // namespace serverlab

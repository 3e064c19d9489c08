#pragma once

// A session must give the same replies however the network cuts its input into chunks. So each
// conversation is run many times, each time in another feeding:
//
//   whole        a request a chunk
//   by bytes     a byte a chunk
//   glued        two requests a chunk
//   with a tail  a request and the first half of the next
//   cut          each request in two chunks
//   oversized    the whole conversation in one chunk
//   in two       a short conversation in two chunks, cut at each of its bytes in turn
//
// The driver keeps an engine's side of the contract: what is not consumed is offered again with
// what comes next, a session that has more to say is advanced without input, and one that has
// closed is left alone.

#include "services/service.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace serverlab {

/// A request, and what the session has replied once it has had all of it.
struct Exchange {
  std::string input;
  std::string output;
  bool closes = false;  // the session ends the conversation after this reply
};

using Open = std::function<AnySession()>;

/// Opens sessions of a service, all of which share its state.
inline Open opening(Service service) {
  return [service = std::move(service)] { return service.open({}); };
}

/// No faults.
inline const std::vector<std::string> none;

/// What goes wrong in any feeding, a sentence each, the feeding first: empty if all is well.
/// @param open opens a session in the state in which the conversation begins
std::vector<std::string> faults(const Open& open, const std::vector<Exchange>& conversation);

/// What goes wrong when `chunk` is fed without end: a session consumes it or closes, and never lets
/// more than `limit_bytes` pile up.
std::vector<std::string> faults_without_end(const Open& open, std::string_view chunk,
                                            std::size_t limit_bytes);

/// What a session said, and whether it closed.
struct Said {
  std::string replies;
  bool closed = false;

  friend bool operator==(const Said&, const Said&) = default;
};

/// Feeds a session until it closes, has nothing to read any more, or has said more than
/// `replies_bytes_max`, of which no more is kept.
/// @throws std::logic_error if it breaks the contract of services/service.h
Said said(AnySession session, const std::vector<std::string>& chunks,
          std::size_t replies_bytes_max = SIZE_MAX);

}  // namespace serverlab

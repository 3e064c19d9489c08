#pragma once

// A connection's life as a table, for every kind of connection that is told of events:
//
//   open ─────peer ends────▶ ended ───all sent───▶ finished
//     │                        ▲                       ▲
//     │                    peer ends               peer ends
//     │                        │                       │
//     └─session closes─▶ closing ───all sent─────▶ lingering
//
// Closing a socket with unread input would reset the connection, and could destroy the last reply
// on its way: so a connection lingers, and reads the rest away, until its peer ends too.

#include <array>
#include <cstddef>
#include <cstdint>

namespace serverlab {

enum class Life : std::uint8_t {
  open,       // its session takes input
  ended,      // the peer says nothing more, and still gets what the session says
  closing,    // the session takes no more input; what it has said is being sent
  lingering,  // all has been sent, a FIN too; what comes is not for the session
  finished,   // nothing more will happen
};

enum class LifeEvent : std::uint8_t { peer_ended, session_closed, all_sent };

/// What follows in a life. A failure finishes it at any time.
constexpr Life after(Life life, LifeEvent event) {
  using enum Life;
  constexpr std::array<std::array<Life, 3>, 5> table = {{
      // peer_ended, session_closed, all_sent
      {ended, closing, open},            // open
      {ended, ended, finished},          // ended
      {ended, closing, lingering},       // closing
      {finished, lingering, lingering},  // lingering
      {finished, finished, finished},    // finished
  }};
  return table[static_cast<std::size_t>(life)][static_cast<std::size_t>(event)];
}

}  // namespace serverlab

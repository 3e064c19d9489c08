#pragma once

// What a terminal can show, and how a person likes to read figures there.

#include <cstdint>
#include <string>
#include <string_view>

namespace serverlab {

enum class Style { plain, faint, good, doubtful, bad };

/// The text on one line, with an escape for each byte or character that a terminal would obey, that
/// changes the direction of text, or that is no UTF-8: `\x1b`, `\u202e`, `\xff`.
std::string plain(std::string_view text);

/// Whether stdout is a terminal.
bool is_terminal();

/// Whether stdout takes colours: a terminal that is not dumb, unless NO_COLOR is set
/// (no-color.org).
bool is_coloured();

/// The text in a style, as it is where there are no colours.
std::string styled(std::string_view text, Style style);

/// With a comma at the thousands: "52,340".
std::string grouped(double value);

/// Three significant digits in the unit that suits them: "57.0 µs", "1.20 ms".
std::string human_duration(double ns);

}  // namespace serverlab

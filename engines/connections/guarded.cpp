#include "engines/connections/guarded.h"

#include "base/counters.h"

#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <new>

namespace serverlab {
namespace {

using Text = fmt::memory_buffer;  // on the stack: that memory has run out may be the news

void add(Text& text, std::string_view words) { text.append(words); }

void add_cause(Text& text) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    add(text, "no memory is left for it");
  } catch (const std::exception& error) {
    add(text, error.what());
  } catch (...) {
    add(text, "it threw what is no std::exception");
  }
}

}  // namespace

void count_failed_connection(const ServeOptions& options) noexcept {
  static std::atomic<bool> told = false;
  ++counters().failed_connections;
  if (!options.notify || told.exchange(true)) return;
  try {
    Text text;
    add(text, "a connection was ended: ");
    add_cause(text);
    add(text, "; those that follow are only counted, as failed_connections in the summary");
    options.notify({text.data(), text.size()});
  } catch (...) {
    told = false;  // there is not even memory to tell: the next one may have it
  }
}

}  // namespace serverlab

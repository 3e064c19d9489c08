#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "net/address.h"

namespace serverlab::fuzz {

// What cannot be read is refused by a sentence, and what is printed of an address is that address.
void run_addresses(std::string_view input) {
  std::string printed;
  try {
    printed = Address::parse(input).to_string();
  } catch (const std::runtime_error&) {
    return;
  }
  if (Address::parse(printed).to_string() != printed) throw Finding("another address: " + printed);
}

}  // namespace serverlab::fuzz

#include "fuzz/grammar.h"

#include <utility>

// libFuzzer's own mutator.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace serverlab::fuzz {

std::string mutated(const Grammar& grammar, std::string_view stream, Random& random) {
  std::vector<std::string> messages = grammar.messages(stream);
  if (messages.empty()) return grammar.make(random);
  const std::size_t at = random.below(messages.size());
  const auto place = messages.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.below(8)) {
    case 0: messages.insert(place, grammar.make(random)); break;
    case 1: messages.push_back(grammar.make(random)); break;
    case 2: messages.erase(place); break;
    case 3: messages.insert(place, std::string(*place)); break;
    case 4: std::swap(*place, messages[random.below(messages.size())]); break;
    default: *place = grammar.change(*place, random); break;
  }
  std::string changed;
  for (const std::string& message : messages) changed += message;
  return changed;
}

std::string mutated_bytes(std::string text) {
  constexpr std::size_t growth_max = 8;
  const std::size_t size = text.size();
  text.resize(size + growth_max);
  text.resize(
      LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, size + growth_max));
  return text;
}

std::string some_number(Random& random) {
  static constexpr std::string_view numbers[] = {"0",
                                                 "1",
                                                 "2",
                                                 "3",
                                                 "7",
                                                 "12",
                                                 "64",
                                                 "140",
                                                 "255",
                                                 "256",
                                                 "4096",
                                                 "65535",
                                                 "65536",
                                                 "1048576",
                                                 "1048577",
                                                 "2147483647",
                                                 "2147483648",
                                                 "-1",
                                                 "-0",
                                                 "00",
                                                 "01",
                                                 "4294967295",
                                                 "4294967296",
                                                 "1e3",
                                                 "0.5",
                                                 "+1",
                                                 "",
                                                 " 1",
                                                 "18446744073709551615",
                                                 "18446744073709551616",
                                                 "9223372036854775807",
                                                 "-9223372036854775808",
                                                 "99999999999999999999"};
  return std::string(random.pick(numbers));
}

}  // namespace serverlab::fuzz

#pragma once

// A few names of settings, as a row of a constexpr catalogue holds them.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

namespace serverlab {

class SettingNames {
 public:
  constexpr SettingNames() = default;
  constexpr SettingNames(std::initializer_list<std::string_view> names) : count_(names.size()) {
    std::ranges::copy(names, names_.begin());
  }

  const std::string_view* begin() const { return names_.data(); }
  const std::string_view* end() const { return names_.data() + count_; }
  bool contains(std::string_view name) const { return std::ranges::find(*this, name) != end(); }

 private:
  std::array<std::string_view, 6> names_{};  // more do not compile in a constexpr row
  std::size_t count_ = 0;
};

}  // namespace serverlab

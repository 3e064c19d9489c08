#pragma once

// Room that is made before it is needed, where adding an item must not fail.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace serverlab {

/// Room for `count` items in all; it grows as push_back lets it grow, so that to ask for one more
/// each time is cheap on the average.
/// @throws std::bad_alloc if there is no memory for them; the items stay as they are
template <class T>
void reserve_room(std::vector<T>& items, std::size_t count) {
  if (items.capacity() < count) items.reserve(std::max(count, 2 * items.capacity()));
}

}  // namespace serverlab

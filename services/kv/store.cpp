#include "services/kv/store.h"

namespace serverlab::kv {

void Store::clear() {
  for (Shard& shard : shards_) {
    locked<Access::change>(shard, [&] { shard.entries.clear(); });
  }
}

std::size_t Store::size() {
  std::size_t keys = 0;
  for (Shard& shard : shards_) {
    keys += locked<Access::read>(shard, [&] { return shard.entries.size(); });
  }
  return keys;
}

}  // namespace serverlab::kv

// SPDX-License-Identifier: Apache-2.0
// Waits until the output CB, which is allocated on a shard, is full.
#include "args.hpp"

using namespace tessera::score;

void kernel_main() {
    cb_wait_front(tt::CBIndex::c_2, ShardTiles::read().tiles);
}

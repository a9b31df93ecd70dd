// SPDX-License-Identifier: Apache-2.0
// Pushes all pages of a CB that is allocated on a shard. The data is already there.
#include "args.hpp"

using namespace tessera::score;

void kernel_main() {
    const auto args = HandOverArgs::read();

    cb_reserve_back(args.cb, args.pages);
    cb_push_back(args.cb, args.pages);
}

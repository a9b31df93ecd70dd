// SPDX-License-Identifier: Apache-2.0
// Pushes pages of two CBs whose data is already in L1, as often as the argument says.
#include "loop_args.hpp"

using namespace tessera::score;

void kernel_main() {
    constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
    constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
    const auto args = FeederArgs::read();

    for (uint32_t i = 0; i < args.count; ++i) {
        cb_reserve_back(cb_in0, args.in0_pages);
        cb_push_back(cb_in0, args.in0_pages);
        cb_reserve_back(cb_in1, args.in1_pages);
        cb_push_back(cb_in1, args.in1_pages);
    }
}

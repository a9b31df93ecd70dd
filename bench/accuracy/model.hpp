// SPDX-License-Identifier: Apache-2.0
// The machine that predictions are made for: a device model with its constants as stated, their
// ranges, and how often they are drawn within these.
#pragma once

#include <cstdint>

#include "tessera/arch_spec.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::score {

struct Model {
    ArchSpec arch;
    TimingBounds timing;
    std::uint32_t num_draws = 0;
};

}  // namespace tessera::score

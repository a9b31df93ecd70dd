// SPDX-License-Identifier: Apache-2.0
// The machine that predictions are made for: a device model with its constants as expected, and at
// both ends of their ranges.
#pragma once

#include "tessera/arch_spec.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::score {

struct Model {
    ArchSpec arch;
    TimingBounds timing;
};

}  // namespace tessera::score

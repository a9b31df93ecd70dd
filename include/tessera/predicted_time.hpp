// SPDX-License-Identifier: Apache-2.0
// How long something takes, as far as the constants of the machine are known.
#pragma once

#include "tessera/timeline.hpp"

namespace tessera {

/// A predicted time, and what it may be within the ranges of the constants.
struct PredictedTime {
    Millicycles low = 0;
    Millicycles expected = 0;
    Millicycles high = 0;
};

}  // namespace tessera

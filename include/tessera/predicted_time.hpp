// SPDX-License-Identifier: Apache-2.0
// A predicted time with its range.
#pragma once

#include "tessera/timeline.hpp"

namespace tessera {

/// A predicted time, and its values at both ends of the constants' ranges.
struct PredictedTime {
    Millicycles low = 0;
    Millicycles expected = 0;
    Millicycles high = 0;
};

}  // namespace tessera

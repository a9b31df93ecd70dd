// SPDX-License-Identifier: Apache-2.0
// Text that a kernel thread has printed and not ended yet, and how it prints numbers.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

struct PrintedLine {
    std::string text;
    std::string unit;  ///< part of a compute kernel that printed first in this line; or empty
    char base = 'd';   ///< fmt type of integers: d, x or o
    bool is_fixed = false;
    int precision = -1;  ///< digits of floats; -1: as many as needed
    int width = 0;
    bool keeps_width = false;
};

}  // namespace tessera

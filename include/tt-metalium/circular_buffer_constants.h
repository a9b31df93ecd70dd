// SPDX-License-Identifier: Apache-2.0
// Indices of circular buffers: by number, and by role as older programs name them.
#pragma once

#include <cstdint>

inline constexpr std::uint32_t NUM_CIRCULAR_BUFFERS = 64;

namespace tt {

// clang-format off
/// Index of a circular buffer by number.
enum CBIndex : std::uint8_t {
    c_0, c_1, c_2, c_3, c_4, c_5, c_6, c_7, c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15,
    c_16, c_17, c_18, c_19, c_20, c_21, c_22, c_23, c_24, c_25, c_26, c_27, c_28, c_29, c_30, c_31,
    SIZE
};

/// Index of a circular buffer by role.
enum CB : std::uint8_t {
    c_in0 = 0, c_in1 = 1, c_in2 = 2, c_in3 = 3, c_in4 = 4, c_in5 = 5, c_in6 = 6, c_in7 = 7,
    dataflow0 = 8, dataflow1 = 9, dataflow2 = 10, dataflow3 = 11, dataflow4 = 12, dataflow5 = 13,
    dataflow6 = 14, dataflow7 = 15,
    c_out0 = 16, c_out1 = 17, c_out2 = 18, c_out3 = 19, c_out4 = 20, c_out5 = 21, c_out6 = 22,
    c_out7 = 23,
    c_intermed0 = 24, c_intermed1 = 25, c_intermed2 = 26, c_intermed3 = 27, c_intermed4 = 28,
    c_intermed5 = 29, c_intermed6 = 30, c_intermed7 = 31
};
// clang-format on

}  // namespace tt

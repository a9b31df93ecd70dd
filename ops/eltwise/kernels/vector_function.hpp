// SPDX-License-Identifier: Apache-2.0
// Functions of DST tile 0, chosen by code.
#pragma once

#include "function_code.hpp"

namespace {

template <bool approximate>
void init_function(uint32_t function) {
    switch (function) {
        case kAbs:
            return abs_tile_init();
        case kExp:
            return exp_tile_init<approximate>();
        case kGelu:
            return gelu_tile_init<approximate>();
        case kIdentity:
            return identity_tile_init();
        case kLog:
            return log_tile_init<approximate>();
        case kNegative:
            return negative_tile_init();
        case kRecip:
            return recip_tile_init();
        case kRelu:
            return relu_tile_init();
        case kRsqrt:
            return rsqrt_tile_init<true, approximate>();
        case kSigmoid:
            return sigmoid_tile_init<approximate>();
        case kSign:
            return sign_tile_init();
        case kSilu:
            return silu_tile_init();
        case kSqrt:
            return sqrt_tile_init<approximate>();
        case kSquare:
            return square_tile_init();
        default:
            return tanh_tile_init<approximate>();
    }
}

template <bool approximate>
void apply_function(uint32_t function) {
    switch (function) {
        case kAbs:
            return abs_tile(0);
        case kExp:
            return exp_tile<approximate>(0);
        case kGelu:
            return gelu_tile<approximate>(0);
        case kIdentity:
            return identity_tile(0);
        case kLog:
            return log_tile<approximate>(0);
        case kNegative:
            return negative_tile(0);
        case kRecip:
            return recip_tile(0);
        case kRelu:
            return relu_tile(0);
        case kRsqrt:
            return rsqrt_tile<true, approximate>(0);
        case kSigmoid:
            return sigmoid_tile<VectorMode::RC, approximate>(0);
        case kSign:
            return sign_tile(0);
        case kSilu:
            return silu_tile(0);
        case kSqrt:
            return sqrt_tile<approximate>(0);
        case kSquare:
            return square_tile(0);
        default:
            return tanh_tile<approximate>(0);
    }
}

}  // namespace

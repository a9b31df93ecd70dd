// SPDX-License-Identifier: Apache-2.0
// The functions' codes among the compile-time arguments of the compute kernels.
#pragma once

#include <cstdint>

enum FunctionCode : std::uint32_t {
    kAdd,
    kSub,
    kMul,
    kDiv,
    kMax,
    kMin,
    kAbs,
    kExp,
    kGelu,
    kIdentity,
    kLog,
    kNegative,
    kRecip,
    kRelu,
    kRsqrt,
    kSigmoid,
    kSign,
    kSilu,
    kSqrt,
    kSquare,
    kTanh,
};

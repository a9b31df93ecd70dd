// SPDX-License-Identifier: Apache-2.0
// Conventions of the kernels that sum contributions.
#pragma once

#include <cstdint>

inline constexpr uint32_t kCbContributions = 0;  // tiles of 1024 elements of rows, bfloat16
inline constexpr uint32_t kCbTerms = 1;          // of a token: their number, then weights (float32)
inline constexpr uint32_t kCbTables = 2;         // a token's slots, ids and weights
inline constexpr uint32_t kCbSum = 16;

inline constexpr uint32_t kTileBytes = 2048;

// SPDX-License-Identifier: Apache-2.0
// The CBs of a norm of rows that are sharded over the columns of a grid of cores, and what its
// cores are: the first column gathers, each core the sums of its row, and the first core of it
// those of the others.
#pragma once

#include <cstdint>

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_scaler = 2;  // of a core's own tiles
constexpr uint32_t cb_epsilon = 3;
constexpr uint32_t cb_global_scaler = 4;
constexpr uint32_t cb_gamma = 5;
constexpr uint32_t cb_statistics = 7;  // mean square of the whole row, one tile for each device
constexpr uint32_t cb_partial = 11;    // of a core
constexpr uint32_t cb_row_sum = 12;    // of a row of cores, or of all
constexpr uint32_t cb_gathered = 13;
constexpr uint32_t cb_global = 15;  // what all cores multiply by
constexpr uint32_t cb_out = 16;
constexpr uint32_t cb_resharded = 17;
constexpr uint32_t cb_scale = 20;  // 1/√(mean square + ε) on the first core
constexpr uint32_t cb_work = 24;

enum class Role : uint32_t { First, Gatherer, Other };
enum class Stage : uint32_t { Whole, BeforeGather };

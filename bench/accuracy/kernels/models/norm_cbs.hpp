// SPDX-License-Identifier: Apache-2.0
// CBs and core roles of a norm of rows that are sharded over the columns of a grid of cores. Each
// core of the first column gathers the sums of its row of cores. The first core of all gathers the
// sums of the first column.
#pragma once

#include <cstdint>

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_scaler = 2;  // scaler for this core's own tiles
constexpr uint32_t cb_epsilon = 3;
constexpr uint32_t cb_global_scaler = 4;
constexpr uint32_t cb_gamma = 5;
constexpr uint32_t cb_statistics = 7;  // mean square of the whole row, one tile per device
constexpr uint32_t cb_partial = 11;    // sum of one core
constexpr uint32_t cb_row_sum = 12;    // sum of a row of cores, or of all cores
constexpr uint32_t cb_gathered = 13;
constexpr uint32_t cb_global = 15;  // factor of all cores
constexpr uint32_t cb_out = 16;
constexpr uint32_t cb_resharded = 17;
constexpr uint32_t cb_scale = 20;  // 1/√(mean square + ε) on the first core
constexpr uint32_t cb_work = 24;

enum class Role : uint32_t { First, Gatherer, Other };
enum class Stage : uint32_t { Whole, BeforeGather };

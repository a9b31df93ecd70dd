// SPDX-License-Identifier: Apache-2.0
// Cycles of each dispatch by closed formulas, to choose one before anything runs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::ops::fused_moe {

/// Sizes of a layer that the time of a dispatch follows from. 0: unknown.
struct DispatchSizes {
    std::uint32_t ranks = 1;
    std::uint32_t tokens = 0;  ///< of all devices together
    std::uint32_t hidden = 0;
    std::uint32_t experts = 0;
    std::uint32_t top_k = 0;
    /// Whether each device has tokens of its own, and not the whole batch.
    bool has_own_tokens = false;

    [[nodiscard]] std::uint32_t tokens_each() const { return (tokens + ranks - 1) / ranks; }
};

/// Estimated cycles of a row of the table of dispatches: its steps before and after the experts, and
/// the steps of the experts that its form of rows needs (lists, copies, sums). Products are the same
/// with each.
struct DispatchEstimate {
    std::string_view dispatch;
    double cycles = 0;
};

/// Returns estimates of all dispatches in bfloat16 that such tokens allow, the fastest first. Tokens
/// choose their experts evenly; the device is a Wormhole.
/// Precondition   ranks is at least 2.
[[nodiscard]] std::vector<DispatchEstimate> estimate_dispatches(const DispatchSizes& sizes);

}  // namespace tessera::ops::fused_moe

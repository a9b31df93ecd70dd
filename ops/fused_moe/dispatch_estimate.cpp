// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/dispatch_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::ops::fused_moe {
namespace {

// Constants of predicted runs on Wormhole of 2026-11-24 to 27: the sweep `dispatch` (hidden 7168 on
// 2, 8 and 32 devices) and layers of Granite's size (hidden 1024 on 4, 8 and 32).
constexpr double kGatherStart = 50e3;  ///< cycles of four launches, plus those of each device
constexpr double kGatherStartOfDevice = 6e3;
constexpr double kGatherRow = 100;       ///< cycles that a row takes beside its bytes
constexpr double kGatherBandwidth = 70;  ///< bytes a cycle in both directions of a ring
constexpr double kSendStart = 25e3;      ///< cycles of two launches, plus those of each device
constexpr double kSendStartOfDevice = 5e3;
constexpr double kSendRow = 750;       ///< cycles of a row there and back beside its bytes
constexpr double kSendBandwidth = 33;  ///< bytes a cycle of one sender
constexpr double kHopBandwidth = 40;   ///< bytes a cycle and device, counted on each link
/// Cycles of an element of the activation, which computes rows that fill an expert's block, too.
/// Single layers from Granite to Qwen3-235B give -0.3 to 1.1. The value was chosen because it
/// decides those layers right, or with a loss of at most 5 %; docs/modular_moe.md has others.
constexpr double kPaddedElement = 0.7;
constexpr double kBlockRows = 32;

// Bytes of a column: bfloat16 each way with all-to-all, bfloat16 there and fp32 sums back else.
constexpr double kSentBytes = 4;
constexpr double kGatheredBytes = 6;

/// Returns the mean distance of two devices of a ring of `n`, including a device and itself.
double ring_distance(std::uint32_t n) {
    return std::floor(static_cast<double>(n) * n / 4) / n;
}

/// Returns the mean number of links between two different devices of a torus with up to 8 columns.
double mean_hops(std::uint32_t ranks) {
    constexpr std::uint32_t kColumns = 8;
    const std::uint32_t columns = ranks % kColumns == 0 ? kColumns : ranks;
    return (ring_distance(columns) + ring_distance(ranks / columns)) * ranks / (ranks - 1);
}

/// Returns the expected number of different places among `draws` draws of `places`.
double distinct(double places, double draws) {
    return places * (1 - std::pow(1 - 1 / places, draws));
}

}  // namespace

DispatchEstimate estimate_dispatch(const DispatchSizes& sizes) {
    const double ranks = sizes.ranks;
    const double tokens = sizes.tokens_each();
    const double hidden = sizes.hidden;
    if (sizes.ranks < 2) {
        return {};
    }
    const double gathered = (ranks - 1) * (kGatherRow + kGatheredBytes * hidden / kGatherBandwidth);
    // A token travels once to each device that has one of its experts.
    const double reached = distinct(ranks, sizes.top_k);
    const double remote = reached * (ranks - 1) / ranks;
    const double issued = reached * (kSendRow + kSentBytes / 2 * hidden / kSendBandwidth);
    const double on_links = kSentBytes * hidden * remote * mean_hops(sizes.ranks) / kHopBandwidth;
    // An expert that a token chooses has one block of rows at least.
    const double choices = static_cast<double>(sizes.tokens) * sizes.top_k;
    const double active = sizes.experts == 0 ? 0 : distinct(sizes.experts, choices) / ranks;
    return {
        .all_gather = kGatherStart + kGatherStartOfDevice * ranks + tokens * gathered,
        .all_to_all = kSendStart + kSendStartOfDevice * ranks + tokens * std::max(issued, on_links),
        .permuted_experts = kPaddedElement * active * kBlockRows * sizes.intermediate};
}

}  // namespace tessera::ops::fused_moe

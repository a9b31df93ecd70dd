// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/dispatch_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ops/fused_moe/layer.hpp"

namespace tessera::ops::fused_moe {
namespace {

// Constants of predicted steps on Wormhole, 2026-11-28: layers of the widths of Granite, Qwen3, OLMoE,
// Mixtral and DeepSeek-V2-Lite with 32 to 1024 tokens on each of 2 to 32 devices. Each is the cost of
// one mechanism, in cycles. docs/modular_moe.md has the layers by which the choice was checked.
constexpr double kCollective = 4.5e3;  ///< launch of a collective, plus that of each device
constexpr double kCollectiveOfDevice = 1.5e3;
constexpr double kExchange = 8e3;  ///< launch of an all-to-all, plus the messages to each device
constexpr double kExchangeOfDevice = 3e3;
constexpr double kBroadcast = 14e3;       ///< broadcast and copy of the tokens of one device
constexpr double kLinkBandwidth = 43;     ///< bytes a cycle of a link
constexpr double kHopBandwidth = 45;      ///< bytes a cycle and device, counted on each link
constexpr double kMemoryBandwidth = 132;  ///< bytes a cycle of rows that are copied
constexpr double kSumBandwidth = 220;     ///< bytes a cycle of rows that are read and summed
constexpr double kOwnBandwidth = 95;      ///< bytes a cycle of a device's part of the batch
constexpr double kOwnParts = 6e3;         ///< launches that take it
constexpr double kGatherRow = 3;          ///< of a row beside its bytes
constexpr double kGatherTableRow = 62;    ///< of a row of ids or weights
constexpr double kStep = 5e3;             ///< launch of a step of tables or sums
constexpr double kCopyStep = 3e3;         ///< launch of a copy of rows
constexpr double kListToken = 110;        ///< moe_align_block_size, on one core
constexpr double kCountToken = 80;        ///< moe_batch_tokens
constexpr double kSpaceRow = 6;           ///< batched_moe_align_block_size, of a row of space
constexpr double kScanExpert = 300;       ///< activation of batches
constexpr double kSumToken = 15;          ///< moe_sum beside bytes
constexpr double kWeighedRow = 900;       ///< second product that weighs its rows: of an expert
constexpr double kMostWeighed = 16e3;
constexpr double kPermuteChoice = 31;  ///< copy of a choice to its token's place
constexpr double kPermuteBandwidth = 165;
constexpr double kSendRow = 96;  ///< of a row to an expert, beside bytes of the sender
constexpr double kSendBandwidth = 180;
constexpr double kSendToken = 540;  ///< of a token to a device with ids and weights
constexpr double kSendTokenBandwidth = 90;
constexpr double kReturnToken = 200;
constexpr double kReturnFewRows = 410;  ///< of a row back: few rows use few cores
constexpr double kReturnRows = 85e3;    ///< many rows: start, plus that of each row
constexpr double kReturnRow = 120;
constexpr double kElement = 2;     ///< bytes of bfloat16
constexpr double kSumElement = 4;  ///< bytes of a partial sum on links

/// Returns the mean distance of two devices of a ring of `n`, including a device and itself.
double ring_distance(std::uint32_t n) {
    return std::floor(static_cast<double>(n) * n / 4) / n;
}

/// Returns the mean number of links to a device of a torus with up to 8 columns, including itself.
double mean_hops(std::uint32_t ranks) {
    constexpr std::uint32_t kColumns = 8;
    const std::uint32_t columns = ranks % kColumns == 0 ? kColumns : ranks;
    return ring_distance(columns) + ring_distance(ranks / columns);
}

/// Returns the expected number of different places among `draws` draws of `places`.
double distinct(double places, double draws) {
    return places * (1 - std::pow(1 - 1 / places, draws));
}

/// Costs of the steps that dispatches consist of.
struct StepCosts {
    DispatchSizes sizes;
    double ranks = sizes.ranks;
    double tokens = sizes.tokens;  ///< of all devices
    double each = sizes.tokens_each();
    double row_bytes = kElement * sizes.hidden;
    double local_experts = static_cast<double>(sizes.experts) / sizes.ranks;
    /// Two devices have one link between them, others of a ring send in both directions.
    double directions = sizes.ranks == 2 ? 1 : 2;
    double collective = kCollective + kCollectiveOfDevice * ranks;
    double exchange = kExchange + kExchangeOfDevice * ranks;

    [[nodiscard]] double gather(double row_cycles) const {
        return collective + (ranks - 1) * each * row_cycles / directions;
    }
    [[nodiscard]] double gather_rows(double bytes) const {
        return gather(kGatherRow + bytes / kLinkBandwidth);
    }
    /// Sums of all devices' partial rows, each device those of its tokens.
    [[nodiscard]] double scatter_sums() const {
        return gather_rows(kSumElement / kElement * row_bytes);
    }
    [[nodiscard]] double all_reduce() const {
        return scatter_sums() + gather_rows(row_bytes) - collective;
    }
    /// The device's part of the batch before, and the parts of all devices after.
    [[nodiscard]] double parts() const {
        return sizes.has_own_tokens
                   ? 0
                   : kOwnParts + each * row_bytes / kOwnBandwidth + gather_rows(row_bytes);
    }
    [[nodiscard]] double list() const { return kStep + kListToken * tokens; }
    [[nodiscard]] double sum() const {
        const double read = row_bytes * (sizes.top_k / ranks + 1);
        return kStep + tokens * (kSumToken + read / kSumBandwidth);
    }
    /// Experts that take rows of tokens: their list, and the sums of a token's choices.
    [[nodiscard]] double row_experts() const {
        const double rows_each = tokens * sizes.top_k / std::max(sizes.experts, 1U);
        return std::min(kMostWeighed, kWeighedRow * rows_each) + list() + sum();
    }
    /// Experts that take batches with space for all tokens.
    [[nodiscard]] double batch_experts() const {
        const bool has_list =
            !Layer{.experts = sizes.experts, .top_k = sizes.top_k}.fills_blocks(sizes.tokens);
        return kScanExpert * local_experts +
               (has_list ? kStep + kSpaceRow * local_experts * tokens : 0);
    }
    /// Cycles of links for a row to another device.
    [[nodiscard]] double hops() const { return row_bytes * mean_hops(sizes.ranks) / kHopBandwidth; }

    [[nodiscard]] double batched() const {
        const double space = local_experts * tokens * row_bytes / kMemoryBandwidth;
        return kStep + kCopyStep + kCountToken * tokens + space + batch_experts() + sum() +
               all_reduce();
    }
    [[nodiscard]] double all_to_all_batched() const {
        const double rows = each * sizes.top_k;
        const double sent = rows * std::max(kSendRow + row_bytes / kSendBandwidth, hops());
        const double returned =
            std::min(kReturnFewRows * rows, kReturnRows + rows * std::max(kReturnRow, hops()));
        return parts() + exchange + sent + batch_experts() + collective + returned;
    }
    [[nodiscard]] double all_to_all_contiguous() const {
        // A token travels once to each device that has one of its experts.
        const double rows = each * distinct(ranks, sizes.top_k);
        const double sent = rows * std::max(kSendToken + row_bytes / kSendTokenBandwidth, hops());
        const double choices = tokens * sizes.top_k;
        const double copies =
            choices * kPermuteChoice + choices / ranks * 2 * row_bytes / kPermuteBandwidth;
        return parts() + exchange + sent + list() + copies + sum() + collective +
               rows * std::max(kReturnToken, hops());
    }
    [[nodiscard]] double all_gather() const {
        return parts() + gather_rows(row_bytes) + 2 * gather(kGatherTableRow) + row_experts() +
               scatter_sums();
    }
    [[nodiscard]] double naive_broadcast() const {
        // Tokens, ids and weights of each device in turn.
        const double sent = each * (row_bytes / kLinkBandwidth + 2 * kGatherTableRow);
        return parts() + ranks * (3 * (kBroadcast + kCollectiveOfDevice * ranks) + sent) +
               row_experts() + all_reduce();
    }
};

}  // namespace

std::vector<DispatchEstimate> estimate_dispatches(const DispatchSizes& sizes) {
    const StepCosts costs{sizes};
    std::vector<DispatchEstimate> estimates{
        {"all_gather_reduce_scatter", costs.all_gather()},
        {"all_to_all_batched", costs.all_to_all_batched()},
        {"all_to_all_contiguous", costs.all_to_all_contiguous()},
        {"naive_broadcast", costs.naive_broadcast()}};
    if (!sizes.has_own_tokens) {
        estimates.push_back({"none", costs.row_experts() + costs.all_reduce()});
        estimates.push_back({"batched", costs.batched()});
    }
    std::ranges::stable_sort(estimates, {}, &DispatchEstimate::cycles);
    return estimates;
}

}  // namespace tessera::ops::fused_moe

// SPDX-License-Identifier: Apache-2.0
// Rows times the transpose of one matrix of weights, as models store them.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"

namespace tessera::ops::linear {

/// Whether cores share operands by multicast.
enum class ShareByMulticast : std::uint8_t { Auto, Never, Always };

struct LinearSpec : ProductSchedule {
    std::uint32_t split_k = 0;  ///< cores that share K; 0: chosen by the shape; 1: expert products
    bool both_nocs = true;      ///< whether cores that share K read weights over both NoCs
    ShareByMulticast multicast = ShareByMulticast::Auto;
};

inline constexpr std::array<std::string_view, 4> kSchedules{"split_k", "multi_core", "near_banks",
                                                            "multicast"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., K)", "bfloat16", "ROW_MAJOR"},
    Operand{"weight", "(N, K)", "bfloat16 | bfp8_b | bfp4_b", "TILE"},
    Operand{.name = "bias",
            .shape = "(N)",
            .format = "bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"output", "(..., N)", "bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// One rounding to bfloat16 is at most 2^-8 of the element; the rest is for fp32 sums.
inline constexpr OpSpec kSpec{
    .name = "linear",
    .summary = "multiplies rows by the transpose of a matrix of weights",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.005, .min_pcc = 0.99999},
};

/// Returns the op, for the registry: output[r,n] = Σ_k input[r,k] · weight[n,k] + bias[n].
///
/// With `split_k` of 2 or more, as many cores share K (split_k.hpp); each weight is read once for
/// up to 128 rows. With 1 the program is that of the products of experts (expert_rows), with one
/// expert whose batch is all rows. By default up to 32 rows and a large matrix are multiplied by
/// cores next to the DRAM banks (near_banks.hpp). Many rows are multiplied by cores that share
/// operands by multicast (multicast.hpp): a device reads each weight once. Otherwise K is split, and
/// `split_k` chosen by the shape. All need that no grid is stated, and no key of the other schedule:
/// `strip`, `k_block`, `k_chunk` or `cb_depth`.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::linear

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::linear::ShareByMulticast>{
    EnumName<ops::linear::ShareByMulticast>{"auto", ops::linear::ShareByMulticast::Auto},
    EnumName<ops::linear::ShareByMulticast>{"never", ops::linear::ShareByMulticast::Never},
    EnumName<ops::linear::ShareByMulticast>{"always", ops::linear::ShareByMulticast::Always},
};

}  // namespace tessera::config

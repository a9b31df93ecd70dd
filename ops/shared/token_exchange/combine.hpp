// SPDX-License-Identifier: Apache-2.0
// Host side of the ops that bring experts' results back to their tokens: moe_combine, of rows,
// moe_combine_batched, of batches, and moe_combine_slots, which leaves the sums to another op.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/base/fields/enum_names.hpp"
#include "ops/shared/token_exchange/dispatch.hpp"

namespace tessera::ops::token_exchange {

struct CombineSpec {
    std::uint32_t experts = 0;                 ///< E, over all devices
    std::uint32_t links = kLinksPerDirection;  ///< of each direction
};

inline constexpr std::array kCombineFields{
    config::field<&CombineSpec::experts>("experts", config::kRequired,
                                         "experts of all devices; each device has the same number",
                                         kExperts),
    config::field<&CombineSpec::links>("links", "4", "links of each direction",
                                       config::Limits{1, kLinksPerDirection}),
};

/// Summed: (T, H), over ranks (Rows) or slots (Batches). BySlot: (T, K, H) as it comes; of Batches.
enum class Result : std::uint8_t { Summed, BySlot };

/// Returns the op of one form. Inputs: rows, source, num_received, slots, then, where it sums,
/// topk_ids (Rows) or topk_weights (Batches; may be left out). Its reference is exact: products and
/// sums are rounded to fp32 in the declared order.
[[nodiscard]] Op combine_op(const OpSpec& spec, Form form, Result result);

[[nodiscard]] std::vector<HostTensor> combine_reference(const ReferenceContext& context, Form form);
/// Returns each token's rows by slot, zeros where a slot has none.
[[nodiscard]] std::vector<HostTensor> slots_reference(const ReferenceContext& context);

}  // namespace tessera::ops::token_exchange

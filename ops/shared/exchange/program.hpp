// SPDX-License-Identifier: Apache-2.0
// Programs of collectives from the plans of their cores.
#pragma once

#include <span>
#include <vector>

#include "ops/op.hpp"
#include "ops/shared/exchange/buffers.hpp"
#include "ops/shared/exchange/plan.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::exchange {

/// Judges the rules of a transport, blamed on the parameters `links` and `packet_tiles`, for `ways`
/// cores a link.
void judge_transport(const ArchSpec& arch, const Transport& transport, std::uint32_t ways,
                     RuleJudge& judge);
/// Judges the rules that plans fit into a kernel's runtime arguments and a core's semaphores,
/// blamed on `devices`.
void judge_plans(GroupPlans plans, std::span<const std::uint32_t> devices, RuleJudge& judge);

/// One device's part: its tensors, and the plans of its cores, `ways` for each link in turn.
struct DevicePart {
    std::uint32_t device = 0;
    const DeviceTensor& input;
    const DeviceTensor& output;
    const DeviceTensor* workspace = nullptr;  ///< for acts that keep sums
    const DevicePlans& plans;
    Acts acts;  ///< acts of the group
    std::uint32_t ways = 1;
    std::uint32_t num_credits = 0;  ///< from number_credits, over all devices
};

/// Precondition   the pages of input and output have the same size; the rules hold.
[[nodiscard]] Program make_program(const ArchSpec& arch, const Transport& transport,
                                   const DevicePart& part);

}  // namespace tessera::ops::exchange

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

/// Checks the rules of a transport with `ways` cores for each link. A violation names the parameter
/// `links` or `packet_tiles`.
void judge_transport(const ArchSpec& arch, const Transport& transport, std::uint32_t ways,
                     RuleJudge& judge);
/// Checks that plans fit into a kernel's runtime arguments and a core's semaphores. A violation
/// names `devices`.
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

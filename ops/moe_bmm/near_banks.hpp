// SPDX-License-Identifier: Apache-2.0
// The schedule of moe_bmm whose readers are next to their DRAM bank.
#pragma once

#include <cstdint>
#include <string>

#include "ops/moe_bmm/schedules.hpp"

namespace tessera::ops::moe_bmm {

/// Extents of a product, in tiles.
struct BmmExtents {
    std::uint32_t experts = 0;
    std::uint32_t k_tiles = 0;
    std::uint32_t n_tiles = 0;
};

/// Work of the cores of this schedule. The members have the meaning of kernels/near_args.hpp.
struct NearPlan {
    std::uint32_t banks = 0;
    std::uint32_t bank_cores = 0;   ///< cores that read from a bank
    std::uint32_t column_step = 0;  ///< classes of columns; those of a class have the same banks
    std::uint32_t members = 0;
    std::uint32_t bank_members = 0;
    std::uint32_t groups = 0;  ///< teams of a class, which share its columns
    std::uint32_t k_push = 0;  ///< tiles
    std::uint32_t pushes = 0;
    std::uint32_t columns = 0;
    std::uint32_t weight_pushes = 0;
    bool holds_expert = false;
};

/// Returns the plan for a shape; without columns for one that has no tiles.
[[nodiscard]] NearPlan near_plan(const ArchSpec& arch, const BmmExtents& extents,
                                 const MoeBmmSpec& schedule);

/// Returns why the schedule is impossible, or an empty text if it is possible.
[[nodiscard]] std::string near_banks_fault(const ArchSpec& arch, const BmmExtents& extents,
                                           const MoeBmmSpec& schedule);

/// Returns the schedule that BmmSchedule::Auto means: NearBanks for large experts if no parameter of
/// MultiCore has another value than its default, else MultiCore.
[[nodiscard]] MoeBmmSpec chosen_schedule(const ArchSpec& arch, const BmmExtents& extents,
                                         const MoeBmmSpec& schedule);

[[nodiscard]] Program near_banks_program(const BmmCall& call);

}  // namespace tessera::ops::moe_bmm

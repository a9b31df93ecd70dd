// SPDX-License-Identifier: Apache-2.0
// The cores that read from the DRAM bank beside them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "emu/base/noc_route.hpp"
#include "ops/shared/kernels/near_bank_args.hpp"
#include "ops/shared/kernels/weight_stream_args.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"
#include "tessera/program.hpp"

namespace tessera::ops {

/// Returns how many cores read from each bank. On a Wormhole four of its five cores a bank are the
/// fastest for most shapes: fewer multiply too slowly if K is short, and more fill the links around
/// a bank, so that reads fall from 0.93 to 0.75 of DRAM's rate.
[[nodiscard]] inline std::uint32_t cores_of_bank(const ArchSpec& arch) {
    const std::uint32_t cores = arch.workers.compute.columns * arch.workers.compute.rows;
    const std::uint32_t most = cores / arch.dram.num_banks;
    return std::max(4 * most / 5, std::min(most, 1U));
}

/// Returns the tiles of one push of weights. With kPushesInFlight pushes on their way to each of
/// `cores` cores of a bank, about `in_flight` tiles of the bank are on their way.
[[nodiscard]] constexpr std::uint32_t tiles_of_push(std::uint32_t in_flight, std::uint32_t cores) {
    return std::max(in_flight / kPushesInFlight / std::max(cores, 1U), 1U);
}

/// Returns the node of a core on the NoC. A model without physical coordinates has cores at their
/// logical ones.
[[nodiscard]] inline CoreCoord node_of_core(const ArchSpec& arch, CoreCoord core) {
    const auto place = [](const std::vector<std::uint32_t>& places, std::uint32_t index) {
        return index < places.size() ? places[index] : index;
    };
    return {place(arch.workers.noc_columns, core.x), place(arch.workers.noc_rows, core.y)};
}

/// Returns the hops of NoC 0 from a bank to a core.
[[nodiscard]] inline std::uint32_t hops_from_bank(const ArchSpec& arch, std::size_t bank,
                                                  CoreCoord core) {
    return NocRoute(arch.noc.grid, 0)
        .hops(arch.dram.endpoints[bank].physical, node_of_core(arch, core));
}

/// Returns `teams` teams of cores, each with one core for each bank. The nearest pairs of bank and
/// core are taken first. The grid must have `teams` cores for each bank.
[[nodiscard]] inline std::vector<std::vector<CoreCoord>> cores_beside_banks(const ArchSpec& arch,
                                                                            std::uint32_t teams) {
    const GridSize grid = arch.workers.compute;
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> pairs;
    for (std::uint32_t bank = 0; bank < arch.dram.num_banks; ++bank) {
        for (std::uint32_t y = 0; y < grid.rows; ++y) {
            for (std::uint32_t x = 0; x < grid.columns; ++x) {
                pairs.emplace_back(hops_from_bank(arch, bank, {x, y}), bank, y, x);
            }
        }
    }
    std::ranges::sort(pairs);
    std::vector<std::vector<CoreCoord>> of_bank(arch.dram.num_banks);
    std::vector<bool> is_taken(std::size_t{grid.columns} * grid.rows);
    for (const auto& [distance, bank, y, x] : pairs) {
        const std::size_t core = std::size_t{y} * grid.columns + x;
        if (of_bank[bank].size() < teams && !is_taken[core]) {
            of_bank[bank].push_back({x, y});
            is_taken[core] = true;
        }
    }
    std::vector<std::vector<CoreCoord>> result(teams);
    for (std::uint32_t team = 0; team < teams; ++team) {
        for (const std::vector<CoreCoord>& cores : of_bank) {
            result[team].push_back(cores[team]);
        }
    }
    return result;
}

/// Makes the semaphores of kernels whose readers are next to their bank.
[[nodiscard]] inline NearSemaphores near_semaphores(Program& program, const CoreRangeSet& cores) {
    const auto add = [&] { return CreateSemaphore(program, cores, 0); };
    // In a statement each: their numbers follow the order of the calls.
    NearSemaphores semaphores{.rows_free = add()};
    semaphores.arrived_0 = add();
    semaphores.arrived_1 = add();
    semaphores.arrived_2 = add();
    semaphores.arrived_3 = add();
    semaphores.sent_0 = add();
    semaphores.sent_1 = add();
    semaphores.sent_2 = add();
    semaphores.finished_0 = add();
    semaphores.finished_1 = add();
    semaphores.finished_2 = add();
    return semaphores;
}

/// Returns all cores of the grid, which rows are sent to over NoC 1: it runs towards lower
/// coordinates, so that a multicast starts at the far corner.
[[nodiscard]] inline NearRectangle near_rectangle(const ArchSpec& arch) {
    const GridSize grid = arch.workers.compute;
    const CoreCoord near = on_noc(arch, {0, 0});
    const CoreCoord far = on_noc(arch, {grid.columns - 1, grid.rows - 1});
    return {.start_x = static_cast<std::uint32_t>(far.x),
            .start_y = static_cast<std::uint32_t>(far.y),
            .end_x = static_cast<std::uint32_t>(near.x),
            .end_y = static_cast<std::uint32_t>(near.y),
            .num_receivers = grid.columns * grid.rows - 1};
}

}  // namespace tessera::ops

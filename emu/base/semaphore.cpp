// SPDX-License-Identifier: Apache-2.0
#include <bitset>

#include "tessera/errors.hpp"
#include "tessera/program.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kSemaphoresPerCore = 16;

bool share_a_core(const std::vector<CoreCoord>& cores, const CoreRangeSet& set) {
    for (const CoreCoord& core : cores) {
        if (set.contains(core)) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::uint32_t CreateSemaphore(Program& program, const CoreSpec& spec, std::uint32_t initial_value) {
    CoreRangeSet cores = to_core_range_set(spec);
    require(!cores.empty(), "CreateSemaphore: no cores given; give at least 1");
    const std::vector<CoreCoord> each = cores.cores();
    std::bitset<kSemaphoresPerCore> taken;
    for (const SemaphoreDescription& present : program.semaphores) {
        if (share_a_core(each, present.cores)) {
            taken.set(present.id);
        }
    }
    require(!taken.all(),
            "CreateSemaphore: no id is free on all of {} cores from {} on; a core has {}",
            each.size(), each.front(), kSemaphoresPerCore);
    std::uint32_t id = 0;
    while (taken.test(id)) {
        ++id;
    }
    program.semaphores.push_back({std::move(cores), id, initial_value});
    return id;
}

}  // namespace tessera

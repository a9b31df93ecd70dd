// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "emu/api/compute/units.hpp"
#include "emu/core/fault.hpp"
#include "tessera/kernel/compute/copy.hpp"
#include "tessera/kernel/compute/instructions.hpp"
#include "tessera/kernel/compute/llk_tiles.hpp"

namespace tessera::kernel {
namespace {

ThreadSemaphore& semaphore_at(std::uint32_t index, const char* call, CallSite site) {
    auto& semaphores = current_units(call, site).semaphores;
    if (index >= semaphores.size()) {
        fault(FaultCategory::OutOfBounds, site, "{}: semaphore {}; allowed: 0 to {}", call, index,
              semaphores.size() - 1);
    }
    return semaphores[index];
}

}  // namespace

Factors named_operands(CallSite site) {
    const auto& named = current_units("a call of LLK", site).named_factors;
    return {named[0], named[1], named[2], named[3]};
}

void arm_datacopy(CallSite site) {
    if (current_units("llk_math_eltwise_unary_datacopy_init", site).armed.operation !=
        UnitOperation::Copy) {
        ckernel::copy_tile_to_dst_init_short(0, 0, 0, site);
    }
}

void refuse_instruction(const char* name, CallSite site) {
    fault(FaultCategory::Unimplemented, site,
          "{} is an instruction of the chip, which Tessera does not execute; allowed: functions of "
          "the compute API and sfpi vectors",
          name);
}

void refuse_form(const char* form, CallSite site) {
    fault(FaultCategory::Unimplemented, site, "{} is not emulated", form);
}

void semaphore_init(std::uint32_t index, std::uint32_t min, std::uint32_t max, CallSite site) {
    semaphore_at(index, "t6_semaphore_init", site) = {min, max};
}

void semaphore_post(std::uint32_t index, CallSite site) {
    ThreadSemaphore& semaphore = semaphore_at(index, "t6_semaphore_post", site);
    constexpr std::uint32_t kMost = 15;  // the chip's counters have four bits and stop there
    semaphore.value = std::min(semaphore.value + 1, kMost);
}

void semaphore_get(std::uint32_t index, CallSite site) {
    ThreadSemaphore& semaphore = semaphore_at(index, "t6_semaphore_get", site);
    semaphore.value -= semaphore.value == 0 ? 0 : 1;
}

void semaphore_wait_on_zero(std::uint32_t index, CallSite site) {
    if (semaphore_at(index, "t6_semaphore_wait_on_zero", site).value == 0) {
        fault(FaultCategory::Unsupported, site,
              "t6_semaphore_wait_on_zero({}): the semaphore is 0 and a later call of this kernel "
              "would raise it; unpack, math and pack run in program order",
              index);
    }
}

void semaphore_wait_on_max(std::uint32_t index, CallSite site) {
    const ThreadSemaphore& semaphore = semaphore_at(index, "t6_semaphore_wait_on_max", site);
    if (semaphore.value >= semaphore.max) {
        fault(FaultCategory::Unsupported, site,
              "t6_semaphore_wait_on_max({}): the semaphore is {}, its maximum, and a later call of "
              "this kernel would lower it; unpack, math and pack run in program order",
              index, semaphore.value);
    }
}

}  // namespace tessera::kernel

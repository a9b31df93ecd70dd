// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/place_semaphores.hpp"

#include <cstring>

#include "emu/mesh/device.hpp"

namespace tessera {

void place_semaphores(const Program& program, Device& device) {
    const L1Spec& l1 = device.arch().l1;
    device.has_semaphore.assign(l1.num_semaphores, false);
    device.named_semaphores.clear();
    for (const SemaphoreDescription& semaphore : program.semaphores) {
        device.has_semaphore.at(semaphore.id) = true;
        if (!semaphore.name.empty()) {
            device.named_semaphores.push_back(semaphore);
        }
        const auto address = static_cast<std::uint32_t>(l1.semaphores.value +
                                                        semaphore.id * l1.semaphore_stride.value);
        for (const CoreCoord core : semaphore.cores.cores()) {
            std::memcpy(device.core(core).l1(address), &semaphore.initial_value, 4);
        }
    }
}

}  // namespace tessera

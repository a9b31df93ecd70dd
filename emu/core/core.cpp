// SPDX-License-Identifier: Apache-2.0
#include "emu/core/core.hpp"

#include "emu/core/kernel_thread.hpp"

namespace tessera {

Core::Core(Device& device, const ArchSpec& arch, CoreCoord logical, std::byte* window_base)
    : window(window_base, arch.l1.size.value), device_(&device), arch_(&arch), logical_(logical) {
}

Core::~Core() = default;

CoreCoord Core::virtual_coord() const noexcept {
    const CoreCoord origin = arch_->workers.virtual_origin;
    return {origin.x + logical_.x, origin.y + logical_.y};
}

void Core::reset() {
    circular_buffers.fill({});
    semaphore_waiters.clear();
    mail_of_compute.clear();
    mail_of_data_movement.clear();
    mail_within_compute.clear();
    mux.is_serving.store(false, std::memory_order_relaxed);
    for (auto& thread : threads) {
        thread.reset();
    }
}

}  // namespace tessera

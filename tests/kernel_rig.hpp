// SPDX-License-Identifier: Apache-2.0
// Runs host functions as kernels of a small device, so that a test can inspect both sides.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"
#include "runtime/scheduler/run_cores.hpp"
#include "runtime/scheduler/worker_pool.hpp"
#include "tessera/errors.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::testing {

/// Returns the address of the semaphore with an id on every core of make_arch().
inline std::uint32_t semaphore_at(std::uint32_t id) {
    return 40960 + 16 * id;
}
/// First address that a test may use freely.
inline constexpr std::uint32_t kScratch = 0x40000;

class KernelRig {
public:
    explicit KernelRig(std::uint32_t columns = 2, std::uint32_t rows = 2,
                       std::uint32_t num_workers = 1)
        : device(make_arch(columns, rows), 0), pool_(num_workers) {
        device.has_semaphore.assign(device.arch().l1.num_semaphores, true);
    }

    /// Configures a circular buffer on every core, at 110592 + 64 KiB · index.
    void add_buffer(std::uint32_t index, std::uint32_t pages, std::uint32_t page_size,
                    DataFormat format = DataFormat::Float16_b) {
        for (const auto& core : device.cores()) {
            core->circular_buffers[index] = {.address = 110592 + 65536 * index,
                                             .size = pages * page_size,
                                             .page_size = page_size,
                                             .num_pages = pages,
                                             .format = format};
        }
    }

    /// Adds a kernel to a core. Call it after the buffers are configured.
    KernelThread& place(CoreCoord core, Processor processor, void (*entry)(),
                        const char* name = "kernel.cpp") {
        Core& target = device.core(core);
        auto thread = std::make_unique<KernelThread>(target, processor);
        thread->entry = entry;
        thread->kernel = name;
        thread->activity.core = core;
        thread->delivery = delivery;
        thread->delivery_seed = seed;
        for (std::uint32_t i = 0; i < kMaxCircularBuffers; ++i) {
            const CircularBuffer& buffer = target.circular_buffers[i];
            thread->cb_tiles[i] = {buffer.format, buffer.tile};
            thread->cb[i] = {.fifo_size = buffer.size,
                             .fifo_limit = buffer.address + buffer.size,
                             .fifo_page_size = buffer.page_size,
                             .fifo_num_pages = buffer.num_pages,
                             .fifo_rd_ptr = buffer.address,
                             .fifo_wr_ptr = buffer.address};
        }
        auto& slot = target.threads[static_cast<std::size_t>(processor)];
        slot = std::move(thread);
        return *slot;
    }

    void run() {
        std::vector<Core*> cores;
        for (const auto& core : device.cores()) {
            cores.push_back(core.get());
        }
        run_cores(cores, pool_);
    }

    /// Runs one kernel on core (0,0) and returns "Category: detail" of its error.
    std::string fault_of(void (*entry)(), Processor processor = Processor::Riscv0) {
        place({0, 0}, processor, entry);
        return fault();
    }
    /// Runs the added kernels and returns "Category: detail" of their error.
    std::string fault() {
        try {
            run();
        } catch (const KernelError& error) {
            return std::string(name_of(error.category())) + ": " + error.detail();
        }
        return "no error";
    }

    std::uint32_t word(CoreCoord core, std::uint32_t address) const {
        std::uint32_t value = 0;
        std::memcpy(&value, device.core(core).l1(address), 4);
        return value;
    }
    void set_word(CoreCoord core, std::uint32_t address, std::uint32_t value) {
        std::memcpy(device.core(core).l1(address), &value, 4);
    }

    Device device;
    NocDelivery delivery = NocDelivery::AtBarrier;
    std::uint64_t seed = 0;

private:
    WorkerPool pool_;
};

/// Returns a word of the running kernel's own L1, through a kernel's address.
inline volatile std::uint32_t* own_word(std::uint32_t address) {
    return reinterpret_cast<volatile std::uint32_t*>(current_thread().core().l1(address));
}

}  // namespace tessera::testing

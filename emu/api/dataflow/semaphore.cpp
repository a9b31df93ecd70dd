// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/semaphore.hpp"

#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/tolerated.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/mesh/device.hpp"
#include "emu/noc/endpoint.hpp"
#include "emu/noc/ordering.hpp"
#include "emu/noc/semaphore_traffic.hpp"
#include "tessera/window_layout.hpp"

using tessera::CallSite;
using tessera::current_thread;
using tessera::Device;
using tessera::fault;
using tessera::FaultCategory;
using tessera::KernelThread;
using tessera::WaitKind;
using tessera::WaitTest;

namespace {

// Words of buffers serve as semaphores, too. Below them L1 belongs to the firmware: a kernel that
// takes an id for an address waits there for a word that happens to have the right value.
void require_semaphore(KernelThread& thread, std::uint32_t address, const char* call,
                       CallSite site) {
    const tessera::L1Spec& l1 = thread.core().arch().l1;
    if (!tessera::is_of_firmware(l1, address, sizeof(std::uint32_t))) {
        return;
    }
    const std::uint64_t first = l1.semaphores.value;
    const std::uint64_t end = first + l1.num_semaphores * l1.semaphore_stride.value;
    tessera::tolerate(thread, tessera::Tolerated::SemaphoreOutside, FaultCategory::OutOfBounds,
                      site, call,
                      "{}: address {:#x} belongs to the firmware; allowed: {:#x} to {:#x}, as "
                      "get_semaphore(id) returns, or a word of a buffer from {:#x} on",
                      call, address, first, end - 4, l1.reserved.value);
}

// The address a kernel sees is the low half of the pointer into its window.
std::uint32_t local_address(const volatile std::uint32_t* word, const char* call, CallSite site) {
    KernelThread& thread = current_thread();
    thread.last_call = site;
    const auto address = static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(word));
    if (address % 4 != 0) {
        fault(FaultCategory::UndefinedBehavior, site, "{}: address {:#x} is not a multiple of 4",
              call, address);
    }
    // The call is a plain load or store, which reaches the kernel's variables, too.
    if (address < tessera::kKernelGlobalsOffset) {
        tessera::check_local(thread, address, 4, call, site);
        require_semaphore(thread, address, call, site);
    }
    return address;
}

void wait_for(const volatile std::uint32_t* word, WaitKind kind, std::uint32_t value,
              const char* call, CallSite site) {
    const std::uint32_t address = local_address(word, call, site);
    KernelThread& thread = current_thread();
    const auto test = kind == WaitKind::SemaphoreEquals ? WaitTest::Equal : WaitTest::AtLeast;
    record_act(thread, tessera::EventKind::SemaphoreWait, static_cast<std::uint8_t>(test), value,
               address, site);
    tessera::note_semaphore_wait(thread);
    thread.core().semaphore_waiters.wait(thread, {kind, address, value});
}

std::string made_semaphores(const Device& device) {
    std::vector<std::size_t> ids;
    for (std::size_t id = 0; id < device.has_semaphore.size(); ++id) {
        if (device.has_semaphore[id]) {
            ids.push_back(id);
        }
    }
    return ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ", "));
}

}  // namespace

namespace tessera::kernel {

std::uint32_t semaphore_address(std::uint32_t id, CallSite site) {
    const Device& device = current_thread().core().device();
    const tessera::L1Spec& l1 = device.arch().l1;
    if (id >= l1.num_semaphores) {
        fault(FaultCategory::OutOfBounds, site, "get_semaphore({}): a core has semaphores 0 to {}",
              id, l1.num_semaphores - 1);
    }
    // The check holds for semaphores of another core too: a sender adds to the same address there.
    if (id >= device.has_semaphore.size() || !device.has_semaphore[id]) {
        fault(FaultCategory::UndefinedBehavior, site,
              "get_semaphore({}): the program has not made it; its semaphores are {}", id,
              made_semaphores(device));
    }
    return static_cast<std::uint32_t>(l1.semaphores.value + id * l1.semaphore_stride.value);
}

void semaphore_increment(std::uint64_t address, std::uint32_t increment, std::uint8_t noc,
                         Posting posting, CallSite site) {
    const std::uint8_t detail = posting == Posting::Posted ? TransferDetail::kPosted : 0;
    increment_word(current_thread(), noc, address, increment, detail, "noc_semaphore_inc", site);
}

}  // namespace tessera::kernel

void noc_semaphore_wait(volatile std::uint32_t* sem_addr, std::uint32_t val, CallSite site) {
    wait_for(sem_addr, WaitKind::SemaphoreEquals, val, "noc_semaphore_wait", site);
}

void noc_semaphore_wait_min(volatile std::uint32_t* sem_addr, std::uint32_t val, CallSite site) {
    wait_for(sem_addr, WaitKind::SemaphoreAtLeast, val, "noc_semaphore_wait_min", site);
}

void noc_semaphore_set(volatile std::uint32_t* sem_addr, std::uint32_t val, CallSite site) {
    const std::uint32_t address = local_address(sem_addr, "noc_semaphore_set", site);
    tessera::store_local_word(current_thread(), address, val, site);
}

void noc_semaphore_set_remote(std::uint32_t src_local_l1_addr, std::uint64_t dst_noc_addr,
                              std::uint8_t noc, CallSite site) {
    KernelThread& thread = current_thread();
    tessera::check_local(thread, src_local_l1_addr, 4, "noc_semaphore_set_remote", site);
    const std::uint32_t value = tessera::load_local_word(thread, src_local_l1_addr);
    tessera::write_word(thread, noc, dst_noc_addr, value, 0xF, 0, "noc_semaphore_set_remote", site);
}

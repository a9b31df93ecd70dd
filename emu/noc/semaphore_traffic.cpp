// SPDX-License-Identifier: Apache-2.0
#include "emu/noc/semaphore_traffic.hpp"

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/mesh/device.hpp"
#include "emu/noc/endpoint.hpp"
#include "emu/noc/ordering.hpp"

namespace tessera {
namespace {

std::uint32_t* word_at(Core& core, std::uint32_t address) {
    return reinterpret_cast<std::uint32_t*>(core.l1(address));
}

void check_word(std::uint64_t address, const char* call, CallSite site) {
    if (address % 4 != 0) {
        fault(FaultCategory::UndefinedBehavior, site, "{}: address {:#x} is not a multiple of 4",
              call, address);
    }
}

// Bytes of a word outside byte_enable keep what they hold. A whole word is stored atomically: other
// cores run on other host threads and poll it.
void write_enabled_bytes(std::byte* target, std::uint32_t value, std::uint8_t byte_enable) {
    if ((byte_enable & 0xFU) == 0xFU) {
        __atomic_store_n(reinterpret_cast<std::uint32_t*>(target), value, __ATOMIC_RELEASE);
        return;
    }
    for (unsigned i = 0; i < 4; ++i) {
        if ((byte_enable >> i & 1U) != 0) {
            target[i] = static_cast<std::byte>(value >> (8 * i));
        }
    }
}

Endpoint word_endpoint(KernelThread& thread, std::uint64_t address, const char* call,
                       CallSite site) {
    thread.last_call = site;
    require_noc(thread, call, site);
    const Endpoint to = resolve(thread.core().device(), address, 4, call, site);
    check_word(to.address, call, site);
    if (to.core != nullptr) {
        check_firmware(thread, to.address, 4, call, site);
    }
    return to;
}

void add(KernelThread& thread, std::uint32_t noc, const Endpoint& to, std::uint32_t increment,
         const char* call, CallSite site) {
    // Atomics act on an L1 (tt-isa-documentation, WormholeB0/NoC/README.md); DRAM tiles have none.
    if (to.core == nullptr) {
        fault(FaultCategory::UndefinedBehavior, site, "{}: address {:#x} lies in DRAM", call,
              to.address);
    }
    thread.rounds_per_poll = 0;  // it has sent something
    // Data first: a consumer that sees the count must find what it counts.
    deliver_writes_to(thread.noc[noc], to.core);
    add_to_word(*to.core, static_cast<std::uint32_t>(to.address), increment);
}

void write(KernelThread& thread, std::uint32_t noc, const Endpoint& to, std::uint32_t value,
           std::uint8_t byte_enable) {
    thread.rounds_per_poll = 0;  // it has sent something
    deliver_writes_to(thread.noc[noc], to.core);
    write_enabled_bytes(to.bytes, value, byte_enable);
    thread.activity.bytes_written += 4;
    if (to.core != nullptr) {  // nobody waits on DRAM
        to.core->semaphore_waiters.notify(static_cast<std::uint32_t>(to.address), 4);
    }
}

std::uint8_t with_noc(std::uint8_t detail, std::uint32_t noc) {
    return static_cast<std::uint8_t>(detail | noc);
}

std::uint64_t word_argument(const KernelThread& thread, const Endpoint& to) {
    const auto address = to.core == nullptr ? 0 : static_cast<std::uint32_t>(to.address);
    return WordArgument{address, to.place, static_cast<std::uint16_t>(thread.activity.device)}
        .pack();
}

}  // namespace

void add_to_word(Core& core, std::uint32_t address, std::uint32_t increment) {
    // Release: the bytes that the count announces are visible to a thread that acquires it, on any
    // worker.
    __atomic_fetch_add(word_at(core, address), increment, __ATOMIC_ACQ_REL);
    core.semaphore_waiters.notify(address, 4);
}

void store_word(Core& core, std::uint32_t address, std::uint32_t value) {
    __atomic_store_n(word_at(core, address), value, __ATOMIC_RELEASE);
    core.semaphore_waiters.notify(address, 4);
}

void store_local_word(KernelThread& thread, std::uint32_t address, std::uint32_t value,
                      CallSite site) {
    record_act(thread, EventKind::LocalWord, 0, value, address, site);
    ++thread.num_writes_seen;    // its own
    thread.rounds_per_poll = 0;  // it may have sent something to a thread of its core
    store_word(thread.core(), address, value);
}

std::uint32_t load_local_word(const KernelThread& thread, std::uint32_t address) {
    return __atomic_load_n(word_at(thread.core(), address), __ATOMIC_ACQUIRE);
}

void increment_word(KernelThread& thread, std::uint32_t noc, std::uint64_t address,
                    std::uint32_t increment, std::uint8_t detail, const char* call, CallSite site) {
    const Endpoint to = word_endpoint(thread, address, call, site);
    add(thread, noc, to, increment, call, site);
    if (!TransferDetail{detail}.has(TransferDetail::kPosted)) {
        thread.noc[noc].note_atomic(site);
    }
    record_act(thread, EventKind::SemaphoreAdd, with_noc(detail, noc), increment,
               word_argument(thread, to), site);
}

void write_word(KernelThread& thread, std::uint32_t noc, std::uint64_t address, std::uint32_t value,
                std::uint8_t byte_enable, std::uint8_t detail, const char* call, CallSite site) {
    const Endpoint to = word_endpoint(thread, address, call, site);
    write(thread, noc, to, value, byte_enable);
    record_act(thread, EventKind::WordWrite, with_noc(detail, noc), value,
               word_argument(thread, to), site);
}

void increment_received(KernelThread& thread, std::uint32_t noc, Core& receiver,
                        std::uint32_t address, std::uint32_t increment, const char* call,
                        CallSite site) {
    add(thread, noc,
        word_endpoint(thread, make_noc_address(receiver.virtual_coord(), address), call, site),
        increment, call, site);
}

void write_received(KernelThread& thread, std::uint32_t noc, Core& receiver, std::uint32_t address,
                    std::uint32_t value, const char* call, CallSite site) {
    write(thread, noc,
          word_endpoint(thread, make_noc_address(receiver.virtual_coord(), address), call, site),
          value, 0xF);
}

}  // namespace tessera

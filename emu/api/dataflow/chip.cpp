// SPDX-License-Identifier: Apache-2.0
// Tables, clock and mailboxes of the chip's firmware.
#include "tessera/kernel/chip.hpp"

#include <cstring>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"

namespace tessera {
namespace {

const ArchSpec& arch() {
    return current_thread().core().arch();
}

std::uint16_t coordinate_word(CoreCoord coord) {
    return static_cast<std::uint16_t>(NOC_XY_ENCODING(coord.x, coord.y));
}

/// Words behind the zero area that hold the clock of each processor: low, then high.
std::uint32_t clock_words(const KernelThread& thread) {
    constexpr std::uint32_t kBytes = 16;
    const L1Spec& l1 = thread.core().arch().l1;
    return static_cast<std::uint32_t>(l1.zeros.value + l1.zeros_size.value) +
           kBytes * static_cast<std::uint32_t>(thread.processor());
}

// Counted, not measured: equal runs read equal clocks. A call of the machine stands for the
// instructions of its body.
std::uint64_t clock_of(KernelThread& thread) {
    constexpr std::uint64_t kInstructionsOfACall = 20;
    ++thread.num_clock_reads;
    const InstructionCount count = difference(thread.instructions, {});
    return count.slots + count.load_waits + count.store_waits +
           kInstructionsOfACall * thread.num_clock_reads;
}

}  // namespace

void advance_clock(KernelThread& thread) {
    const std::uint64_t now = clock_of(thread);
    std::memcpy(thread.core().l1(clock_words(thread)), &now, sizeof(now));
}

namespace kernel {

std::uint32_t zero_area_address() {
    return static_cast<std::uint32_t>(arch().l1.zeros.value);
}

std::uint32_t wall_clock_address(std::uint32_t word, CallSite site) {
    KernelThread& thread = current_thread();
    thread.note_call(site);
    thread.polls_clock = true;
    advance_clock(thread);
    return clock_words(thread) + 4 * word;
}

std::uint64_t read_clock(CallSite site) {
    KernelThread& thread = current_thread();
    thread.note_call(site);
    return clock_of(thread);
}

std::uint16_t dram_bank_coordinate(std::uint32_t noc, std::uint32_t bank) {
    const DramEndpoint& endpoint = arch().dram.endpoints.at(bank);
    return coordinate_word(noc == 0 ? endpoint.noc : endpoint.noc1);
}

std::uint16_t l1_bank_coordinate(std::uint32_t bank) {
    return coordinate_word(current_thread().core().device().l1_bank(bank).virtual_coord());
}

std::int32_t dram_bank_offset(std::uint32_t bank) {
    return static_cast<std::int32_t>(arch().dram.endpoints.at(bank).bank_offset.value);
}

std::uint8_t virtual_column(std::uint32_t logical) {
    return static_cast<std::uint8_t>(
        current_thread().core().device().core({logical, 0}).virtual_coord().x);
}

std::uint8_t virtual_row(std::uint32_t logical) {
    return static_cast<std::uint8_t>(
        current_thread().core().device().core({0, logical}).virtual_coord().y);
}

}  // namespace kernel
}  // namespace tessera

namespace ckernel {

using tessera::current_thread;
using tessera::KernelThread;
using tessera::Processor;

namespace {

// Unpack, math and pack send words to each other in program order, so one queue serves all pairs.
bool is_within_compute(const KernelThread& thread, std::uint8_t partner) {
    return thread.processor() == Processor::Compute && partner != BriscThreadId;
}

}  // namespace

void mailbox_write(std::uint8_t receiver, std::uint32_t data, tessera::CallSite site) {
    KernelThread& thread = current_thread();
    thread.note_call(site);
    tessera::Core& core = thread.core();
    auto& words = is_within_compute(thread, receiver)        ? core.mail_within_compute
                  : thread.processor() == Processor::Compute ? core.mail_of_data_movement
                                                             : core.mail_of_compute;
    words.push_back(data);
}

std::uint32_t mailbox_read(std::uint8_t sender, tessera::CallSite site) {
    KernelThread& thread = current_thread();
    thread.note_call(site);
    tessera::Core& core = thread.core();
    auto& words = is_within_compute(thread, sender)          ? core.mail_within_compute
                  : thread.processor() == Processor::Compute ? core.mail_of_compute
                                                             : core.mail_of_data_movement;
    while (words.empty()) {
        thread.yield();
        thread.has_polled_with_success |= !words.empty();
    }
    const std::uint32_t data = words.front();
    words.pop_front();
    return data;
}

}  // namespace ckernel

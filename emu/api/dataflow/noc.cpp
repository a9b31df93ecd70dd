// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/noc.hpp"

#include "emu/core/kernel_thread.hpp"
#include "emu/noc/semaphore_traffic.hpp"
#include "emu/noc/transfer.hpp"

namespace tessera::kernel {
namespace {

constexpr TransferLimit limit_of(PacketRule rule) {
    return rule == PacketRule::OnePacket ? TransferLimit::OnePacket : TransferLimit::None;
}

// Constants, not put together for each call: the host would wait for the bytes it has just stored
// one by one when it loads them together.
constexpr TransferStyle kOnePacketRead{.limit = limit_of(PacketRule::OnePacket)};
constexpr TransferStyle kAnyRead{.limit = limit_of(PacketRule::AnyLength)};

}  // namespace

void noc_read(std::uint64_t source, std::uint32_t destination, std::uint32_t size, std::uint8_t noc,
              PacketRule rule, const CallSite& site) {
    issue_read(current_thread(), noc, source, destination, size,
               rule == PacketRule::OnePacket ? kOnePacketRead : kAnyRead, site);
}

void noc_write(std::uint32_t source, std::uint64_t destination, std::uint32_t size,
               std::uint8_t noc, PacketRule rule, Posting posting, const CallSite& site) {
    issue_write(current_thread(), noc, source, destination, size,
                {.limit = limit_of(rule), .posted = posting == Posting::Posted}, site);
}

void noc_inline_write(std::uint64_t destination, std::uint32_t value, std::uint8_t byte_enable,
                      std::uint8_t noc, CallSite site) {
    KernelThread& thread = current_thread();
    thread.noc[noc].inline_write_state.is_valid = false;
    write_word(thread, noc, destination, value, byte_enable, 0, "noc_inline_dw_write", site);
}

}  // namespace tessera::kernel

void invalidate_l1_cache(tessera::CallSite site) {
    tessera::KernelThread& thread = tessera::current_thread();
    note_next_poll(thread, site);
    thread.yield();
}

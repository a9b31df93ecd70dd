// SPDX-License-Identifier: Apache-2.0
// A mux's end and its workers' end. A worker's packets take effect as those over a link of its own
// do; that they pass another core is a matter of time, and the trace says it when the connection is
// opened. So values do not depend on the order in which a mux finds its channels filled, which on
// the chip is one of time.
#include "emu/api/fabric/connection.hpp"
#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/mesh/link.hpp"
#include "emu/noc/endpoint.hpp"
#include "tessera/kernel/fabric_mux.hpp"

namespace tessera::kernel {
namespace {

Core& core_at(const KernelThread& thread, std::uint8_t noc_x, std::uint8_t noc_y, const char* call,
              CallSite site) {
    const Endpoint at =
        resolve(thread.core().device(), make_noc_address({noc_x, noc_y}, 0), 4, call, site);
    if (at.core == nullptr) {
        fault(FaultCategory::UndefinedBehavior, site, "{}: NoC ({},{}) is not a worker core", call,
              noc_x, noc_y);
    }
    for (const auto& other : at.core->threads) {
        if (other != nullptr) {
            return *at.core;
        }
    }
    fault(FaultCategory::UndefinedBehavior, site,
          "{}: no kernel runs on core ({},{}), where the mux is to be", call, at.core->logical().x,
          at.core->logical().y);
}

// Polls, as the vendor's call polls the mux's status: the trace does not say how often, which
// depends on the host.
const FabricMux& mux_of(KernelThread& thread, const Core& core, CallSite site) {
    thread.last_call = site;
    thread.awaited_mux = &core;
    while (!core.mux.is_serving.load(std::memory_order_acquire)) {
        thread.yield();
    }
    thread.awaited_mux = nullptr;
    return core.mux;
}

// A channel as the mux has it.
FabricMuxChannel channel_of(const FabricMuxLayout& mux, const FabricMuxChannel& asked) {
    const bool is_full_size = asked.number < mux.num_full_size;
    const std::uint32_t full_size = is_full_size ? asked.number : mux.num_full_size;
    const std::uint32_t size = is_full_size ? mux.buffer_size : kHeaderSize;
    return {.noc_x = asked.noc_x,
            .noc_y = asked.noc_y,
            .number = asked.number,
            .num_buffers = static_cast<std::uint8_t>(is_full_size ? mux.buffers_full_size
                                                                  : mux.buffers_header_only),
            .buffer_size = size,
            .base_address = mux.base_address + full_size * mux.buffers_full_size * mux.buffer_size +
                            (asked.number - full_size) * mux.buffers_header_only * kHeaderSize};
}

void check_channel(const FabricMuxLayout& mux, const Core& core, const FabricMuxChannel& asked,
                   CallSite site) {
    const std::uint32_t count = mux.num_full_size + mux.num_header_only;
    if (asked.number >= count) {
        fault(FaultCategory::UndefinedBehavior, site,
              "fabric_client_connect: channel {} of the mux on core ({},{}), which has {}",
              asked.number, core.logical().x, core.logical().y, count);
    }
    const FabricMuxChannel there = channel_of(mux, asked);
    if (there.num_buffers != asked.num_buffers || there.buffer_size != asked.buffer_size ||
        there.base_address != asked.base_address) {
        fault(FaultCategory::UndefinedBehavior, site,
              "fabric_client_connect: channel {} of the mux on core ({},{}) has {} buffers of {} "
              "bytes at {:#x}, the connection says {} of {} bytes at {:#x}",
              asked.number, core.logical().x, core.logical().y, there.num_buffers,
              there.buffer_size, there.base_address, asked.num_buffers, asked.buffer_size,
              asked.base_address);
    }
}

}  // namespace

void fabric_mux_wait(std::uint8_t noc_x, std::uint8_t noc_y, CallSite site) {
    KernelThread& thread = current_thread();
    const Core& core = core_at(thread, noc_x, noc_y, "wait_for_fabric_endpoint_ready", site);
    static_cast<void>(mux_of(thread, core, site));
}

void fabric_mux_connect(FabricConnection& connection, const FabricMuxChannel& channel,
                        CallSite site) {
    KernelThread& thread = current_thread();
    const Core& core = core_at(thread, channel.noc_x, channel.noc_y, "fabric_client_connect", site);
    const FabricMux& mux = mux_of(thread, core, site);
    check_channel(mux.layout, core, channel, site);
    connection = {.channel = mux.link_channel, .slot_size = channel.buffer_size};
    const MuxArgument argument{.place = NocPlace::worker(core.logical()),
                               .channel = channel.number,
                               .num_channels = static_cast<std::uint8_t>(
                                   mux.layout.num_full_size + mux.layout.num_header_only),
                               .num_buffers = channel.num_buffers};
    open_link(connection, "fabric_client_connect", argument.pack(), site);
}

void fabric_mux_begin(std::uint32_t link_channel, const FabricMuxLayout& layout) {
    FabricMux& mux = current_thread().core().mux;
    mux.link_channel = link_channel;
    mux.layout = layout;
    mux.is_serving.store(true, std::memory_order_release);
}

void fabric_mux_end() {
    current_thread().core().mux.is_serving.store(false, std::memory_order_release);
}

}  // namespace tessera::kernel

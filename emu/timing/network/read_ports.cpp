// SPDX-License-Identifier: Apache-2.0
// Ports accept so many requests of reads before they answer one; those that they do not accept fill
// the buffers of the routers upstream.
#include "emu/timing/network/virtual_channels.hpp"

namespace tessera::timing {

void VirtualChannels::open_ports(const Machine& machine) {
    for (std::uint32_t number = ResourceTable::ejection(0); number < resources_.num_ports();
         number += ResourceTable::injection(1)) {
        resources_[number].free_requests = machine.timing.noc.port_requests;
    }
    const std::uint32_t of_bank = machine.timing.dram.port_requests;
    for (std::uint32_t device = 0; resources_.network(device, 0) < resources_.num_ports();
         ++device) {
        for (const DramEndpoint& endpoint : machine.arch.dram.endpoints) {
            resources_[resources_.ejection(device, 0, endpoint.physical)].free_requests = of_bank;
            resources_[resources_.ejection(device, 1, endpoint.physical1)].free_requests = of_bank;
        }
    }
}

void VirtualChannels::answered(std::uint32_t port, ResourceKind cause, Millicycles now,
                               EventQueue& queue) {
    Resource& resource = resources_[port];
    ++resource.free_requests;
    // A port counts requests of both sides of the dateline together, and takes them in turn.
    resource.is_past_next = !resource.is_past_next;
    for (const bool is_past : {resource.is_past_next, !resource.is_past_next}) {
        const std::uint32_t channels = 2 * (2 * port + (is_past ? 1 : 0));
        if (channels_[channels].granted == kNone) {
            grant_next(channels, now, queue, cause);
            if (channels_[channels].granted != kNone) {
                return;
            }
        }
    }
}

}  // namespace tessera::timing

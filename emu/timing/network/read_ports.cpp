// SPDX-License-Identifier: Apache-2.0
// Request slots of ports: a port accepts a number of read requests before it answers one. Requests
// without a slot fill the buffers of the routers upstream.
#include "emu/timing/network/virtual_channels.hpp"

namespace tessera::timing {

void VirtualChannels::set_request_slots(const Machine& machine) {
    for (std::uint32_t number = ResourceTable::ejection(0); number < resources_.num_links();
         number += ResourceTable::injection(1)) {
        links_[number].free_requests = machine.timing.noc.port_requests;
    }
    const std::uint32_t of_bank = machine.timing.dram.port_requests;
    for (std::uint32_t device = 0; resources_.network(device, 0) < resources_.num_links();
         ++device) {
        for (const DramEndpoint& endpoint : machine.arch.dram.endpoints) {
            for (const LinkId port : {resources_.ejection(device, 0, endpoint.physical),
                                      resources_.ejection(device, 1, endpoint.physical1)}) {
                links_[index_of(port)].free_requests = of_bank;
            }
        }
    }
}

void VirtualChannels::return_request_slot(LinkId port, ResourceKind cause, Millicycles now,
                                          EventQueue& queue) {
    Resource& resource = links_[index_of(port)];
    ++resource.free_requests;
    // Both sides of the dateline share a port's slots. They alternate, or one side would starve.
    resource.is_past_next = !resource.is_past_next;
    for (const bool is_past : {resource.is_past_next, !resource.is_past_next}) {
        const VcGroup group = request_group_of(port, is_past);
        if (state_of(group).granted == kNoTransfer) {
            grant_next(group, now, queue, cause);
            if (state_of(group).granted != kNoTransfer) {
                return;
            }
        }
    }
}

}  // namespace tessera::timing

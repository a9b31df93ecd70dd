// SPDX-License-Identifier: Apache-2.0
// A transport without resources: every transfer takes the same time, whatever their number. It is
// linked in place of the library's transport, so that replay times can be computed by hand.
#include "tests/unit/emu/timing/fixed_transport.hpp"

#include <vector>

#include "emu/timing/transport.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timing {
namespace {

struct Stage {
    Millicycles after = 0;  ///< the start
    Milestone milestone{};
    std::uint16_t device = 0;
};

/// A multicast arrives at all of its devices at the same time.
std::vector<Stage> stages_of_packet(const Request& request) {
    std::vector<Stage> stages{{fixed::kDeparted, Milestone::Departed},
                              {fixed::kDeparted, Milestone::SlotFreed}};
    // To the east, from device to device.
    for (std::uint8_t hops = request.multicast_from; request.is_multicast && hops < request.hops;
         ++hops) {
        stages.push_back({fixed::kDelivered, Milestone::Passed,
                          static_cast<std::uint16_t>(request.device + hops)});
    }
    stages.push_back({fixed::kDelivered, Milestone::Delivered});
    return stages;
}

std::vector<Stage> stages_of(const Request& request) {
    using fixed::kAcknowledged;
    using fixed::kDelivered;
    using fixed::kDeparted;
    using fixed::kRead;
    if (request.kind == RequestKind::Read) {
        return {{kRead, Milestone::Delivered}};
    }
    if (request.kind == RequestKind::Fabric) {
        return stages_of_packet(request);
    }
    std::vector<Stage> stages{{kDeparted, Milestone::Departed}, {kDelivered, Milestone::Delivered}};
    if (!request.is_posted) {
        stages.push_back({kAcknowledged, Milestone::Acknowledged});
    }
    return stages;
}

struct Transfer {
    Millicycles start = 0;
    std::vector<Stage> stages;
    std::size_t next = 0;
    Transit transit{};
};

}  // namespace

struct Transport::State {
    const NocTiming& noc;
    std::vector<Transfer> transfers;
    std::uint32_t num_unsent = 0;  ///< transfers that have not departed
    std::uint32_t num_reads = 0;   ///< in flight, of all NIUs
    std::uint32_t num_unacknowledged = 0;
};

Transport::Transport(const Machine& machine, DeviceRange /*devices*/)
    : state_(std::make_unique<State>(State{.noc = machine.timing.noc})) {
}
Transport::~Transport() = default;

TransferId Transport::start(const Request& request, Millicycles now, EventQueue& queue) {
    const TransferId id{static_cast<std::uint32_t>(state_->transfers.size())};
    state_->transfers.push_back({now, stages_of(request), 0, {}});
    ++(request.kind == RequestKind::Read ? state_->num_reads : state_->num_unsent);
    const auto& stages = state_->transfers.back().stages;
    state_->num_unacknowledged += stages.back().milestone == Milestone::Acknowledged ? 1 : 0;
    push_stage(queue, now + state_->transfers.back().stages.front().after, id);
    return id;
}

/// Refuses reads on NoC 1 while anything is being sent: the engine must ask, and ask again at a
/// departure.
bool Transport::takes_read(Niu niu, std::uint32_t /*packets*/) const noexcept {
    return state_->num_reads < state_->noc.outstanding_reads &&
           (niu.noc == 0 || state_->num_unsent == 0);
}

bool Transport::takes_write(Niu /*niu*/) const noexcept {
    return state_->num_unacknowledged < state_->noc.outstanding_writes;
}

StageResult Transport::advance(TransferId id, Millicycles now, EventQueue& queue) {
    Transfer& transfer = state_->transfers[index_of(id)];
    const Stage stage = transfer.stages[transfer.next++];
    transfer.transit[static_cast<std::size_t>(ResourceKind::NocLatency)] = now - transfer.start;
    state_->num_unsent -= stage.milestone == Milestone::Departed ? 1 : 0;
    state_->num_unacknowledged -= stage.milestone == Milestone::Acknowledged ? 1 : 0;
    const bool is_last = transfer.next == transfer.stages.size();
    state_->num_reads -= is_last && transfer.stages.size() == 1 ? 1 : 0;
    if (!is_last) {
        push_stage(queue, transfer.start + transfer.stages[transfer.next].after, id);
    }
    return {stage.milestone, is_last, stage.device, id};
}

const Transit& Transport::transit(TransferId id) const noexcept {
    return state_->transfers[index_of(id)].transit;
}

std::vector<ResourceUse> Transport::uses() const {
    return {};
}

}  // namespace tessera::timing

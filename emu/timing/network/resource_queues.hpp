// SPDX-License-Identifier: Apache-2.0
// First-in-first-out sharing of resources that a packet takes all at once: DRAM banks, mesh links,
// the tree of a multicast. A packet starts when every resource on its path is free by the time its
// first flit gets there. Until then it holds nothing and waits in the queue of one resource, the
// one that is free last.
#pragma once

#include <cstdint>

#include "emu/timing/event_queue.hpp"
#include "emu/timing/network/packet_path.hpp"
#include "emu/timing/network/resource_table.hpp"
#include "emu/timing/network/transfer.hpp"

namespace tessera::timing {

class ResourceQueues {
public:
    ResourceQueues(ResourceTable& resources, TransferPool& transfers)
        : resources_(resources), transfers_(transfers) {}

    /// Books `path` for the packet of `transfer` from `now` on and returns true. If a resource is
    /// not free it queues the transfer, which comes back with an event of its own, and returns
    /// false. `path` is a PacketPath or a BankPath.
    /// Precondition   a queued transfer comes back with its event only.
    template <class Path>
    bool try_start(Transfer& transfer, const Path& path, std::uint32_t bytes, Millicycles now,
                   EventQueue& queue);

private:
    /// Resource of a path that a packet has to wait for.
    struct Obstacle {
        ResourceId resource = kNoResource;
        Millicycles offset = 0;    ///< offset on the path
        Millicycles duration = 0;  ///< occupation by the packet
        Millicycles free = 0;      ///< possible start if no other resource were busy
    };
    /// Returns the resource that is free last; its number is kNoResource if all are free.
    template <class Path>
    [[nodiscard]] Obstacle obstacle(const Transfer& transfer, const Path& path, Millicycles now);
    void wait_for(const Obstacle& obstacle, Transfer& transfer, Millicycles now, EventQueue& queue);
    /// Returns the queue entry behind which `transfer` is inserted. That is the last one, except at
    /// DRAM banks, where reads and writes alternate, and at mesh routers, where packets received
    /// and packets to send alternate.
    /// Precondition   the resource's queue is not empty.
    [[nodiscard]] Transfer& insertion_point(const Transfer& transfer, ResourceId resource);
    void enqueue(Transfer& transfer, const Obstacle& obstacle, EventQueue& queue);
    void dequeue(Transfer& transfer, Millicycles now, EventQueue& queue);

    ResourceTable& resources_;
    TransferPool& transfers_;
};

}  // namespace tessera::timing

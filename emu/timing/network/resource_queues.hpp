// SPDX-License-Identifier: Apache-2.0
// Shares what is taken as a whole, first in, first out: DRAM banks, mesh links, the tree that a
// multicast reserves. A packet starts when every resource on its path is free by the time its first
// flit gets there. Until then it waits in the queue of the one that is free last, and holds
// nothing.
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

    /// Books `path` for the packet of `transfer` from `now` on and returns true; or queues the
    /// transfer, to come back with an event of its own, and returns false. `path` is a PacketPath
    /// or a BankPath. Precondition   a transfer that is queued comes back with its event only.
    template <class Path>
    bool try_start(std::uint32_t transfer, const Path& path, std::uint32_t bytes, Millicycles now,
                   EventQueue& queue);

private:
    /// The resource of a path that a packet waits for.
    struct Obstacle {
        std::uint32_t resource = kNone;
        Millicycles offset = 0;  ///< on the path
        Millicycles duration = 0;
        Millicycles free = 0;  ///< when the packet could start if there were no other obstacle
    };
    template <class Path>
    [[nodiscard]] Obstacle obstacle(const Transfer& transfer, const Path& path, Millicycles now);
    /// Lets a transfer wait for an obstacle.
    void wait_for(const Obstacle& obstacle, std::uint32_t transfer, Millicycles now,
                  EventQueue& queue);
    /// Returns the queue entry after which `transfer` is inserted: the last; at DRAM banks reads
    /// and writes alternate, at routers what comes and what goes. Precondition   the resource's
    /// queue is not empty.
    [[nodiscard]] std::uint32_t insertion_point(const Transfer& transfer, std::uint32_t resource);
    void enqueue(std::uint32_t transfer, const Obstacle& obstacle, EventQueue& queue);
    void dequeue(std::uint32_t transfer, Millicycles now, EventQueue& queue);

    ResourceTable& resources_;
    TransferPool& transfers_;
};

}  // namespace tessera::timing

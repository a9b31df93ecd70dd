// SPDX-License-Identifier: Apache-2.0
// How packets share resources. A packet starts when every resource on its path is free by the time
// its first flit gets there; until then it waits, first come first served, in the line of the one
// that is free last, and holds nothing: on other virtual channels others pass it.
#pragma once

#include <cstdint>

#include "emu/timing/event_queue.hpp"
#include "emu/timing/network/packet_path.hpp"
#include "emu/timing/network/resource_table.hpp"
#include "emu/timing/network/transfer.hpp"

namespace tessera::timing {

class WaitingLines {
public:
    WaitingLines(ResourceTable& resources, TransferPool& transfers)
        : resources_(resources), transfers_(transfers) {}

    /// Gives the path to the packet of `transfer`, from `now` on, and returns true; or puts the
    /// transfer in line, to come back with an event of its own, and returns false.
    /// `path` is a PacketPath or a BankPath.
    /// Preconditions   a transfer that is in line comes back with its event only.
    template <class Path>
    bool try_start(std::uint32_t transfer, const Path& path, std::uint32_t bytes, Millicycles now,
                   EventQueue& queue);

    /// Gives a packet that sets out at `begin` each step of `path` as soon as it is free: what has
    /// to wait is kept by the router in front. Returns by how much the end of the path is later
    /// than without others.
    /// Precondition   the path is a run and nothing else; of pass(), seen from its first step.
    Millicycles pass(std::uint32_t transfer, const PacketPath& path, std::uint32_t bytes,
                     Millicycles begin);
    /// As pass(), for a packet that has taken the first step.
    Millicycles pass_behind_first(std::uint32_t transfer, const PacketPath& path,
                                  std::uint32_t bytes, Millicycles begin);

private:
    struct Obstacle {
        std::uint32_t resource = kNobody;  ///< nobody: there is none
        Millicycles offset = 0;            ///< on the path
        Millicycles duration = 0;
        Millicycles free = 0;  ///< when the packet could start if there were no other
    };
    template <class Path>
    [[nodiscard]] Obstacle obstacle(const Transfer& transfer, const Path& path, Millicycles now);
    /// Lets a transfer wait for what is in its way.
    void wait_for(const Obstacle& obstacle, std::uint32_t transfer, Millicycles now,
                  EventQueue& queue);
    /// Whom a transfer comes behind in the line of a resource, which is not empty. At a bank reads
    /// and writes take turns.
    [[nodiscard]] std::uint32_t place_in_line(const Transfer& transfer, std::uint32_t resource);
    void join(std::uint32_t transfer, const Obstacle& obstacle, EventQueue& queue);
    void leave(std::uint32_t transfer, Millicycles now, EventQueue& queue);

    ResourceTable& resources_;
    TransferPool& transfers_;
};

}  // namespace tessera::timing

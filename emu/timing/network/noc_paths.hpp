// SPDX-License-Identifier: Apache-2.0
// Paths of packets through one device: unicast routes, multicast trees, and DRAM banks.
#pragma once

#include <cstdint>

#include "emu/timing/cost/times.hpp"
#include "emu/timing/network/pace.hpp"
#include "emu/timing/network/packet_path.hpp"
#include "emu/timing/network/resource_table.hpp"
#include "emu/timing/network/route_table.hpp"
#include "emu/timing/network/transfer.hpp"

namespace tessera::timing {

/// Adds the paces that follow from the constants of timing.noc.
struct NocCost : NocTimes {
    NocCost(const TimingSpec& timing, Bytes flit);
    Millicycles acknowledgement;  ///< a packet of one flit
    Pace read, write, link, ejection, multicast;
};

/// Adds the paces that follow from the constants of timing.dram.
struct DramCost : DramTimes {
    explicit DramCost(const TimingSpec& timing);
    Pace bank_read, bank_write, write_port, channel;
};

/// Names the two ends of a route on one device.
struct NodePair {
    std::uint32_t device = 0;
    std::uint32_t noc = 0;
    CoreCoord from;
    CoreCoord to;
};

class NocPaths {
public:
    NocPaths(const ArchSpec& arch, const TimingSpec& timing, const ResourceTable& resources);

    [[nodiscard]] const NocRoute& route(std::uint32_t noc) const noexcept {
        return routes_.route(noc);
    }
    /// Returns the latency of a packet's first flit between the memories of two interfaces.
    [[nodiscard]] Millicycles latency(std::uint32_t noc, CoreCoord from,
                                      CoreCoord to) const noexcept {
        return 2 * noc_.interface + route(noc).hops(from, to) * noc_.hop;
    }
    /// Returns the route of a packet that writes, from the injection port of `nodes.from` to the
    /// ejection port of `nodes.to`.
    [[nodiscard]] UnicastRoute write(NodePair nodes, std::uint32_t bytes);
    /// Returns the route of a read's request, which occupies ports and links for no time.
    [[nodiscard]] UnicastRoute request(NodePair nodes);
    /// Returns the route of the data that answers a read from `place`.
    [[nodiscard]] UnicastRoute answer(NodePair nodes, std::uint32_t bytes, NocPlace place);
    /// Appends to `path` the tree to each worker of a rectangle of logical cores (both corners
    /// included). The packet passes every link of the tree once, and is `stalled` there for so
    /// long.
    void multicast(const Transfer& transfer, std::uint32_t bytes, Millicycles stalled,
                   PacketPath& path) const;
    enum class Access : std::uint8_t { Read, Write };
    [[nodiscard]] BankPath bank(std::uint32_t device, std::uint32_t index, Access access,
                                std::uint32_t bytes) const;

    [[nodiscard]] const NocCost& noc() const noexcept { return noc_; }
    [[nodiscard]] const DramCost& dram() const noexcept { return dram_; }

private:
    /// Returns a route whose durations are 0.
    [[nodiscard]] UnicastRoute route_of(NodePair nodes, PacketClass of);
    /// Returns the route of `bytes`, which pass the injection port at the rate `source`.
    [[nodiscard]] UnicastRoute route_of(NodePair nodes, PacketClass of, std::uint32_t bytes,
                                        const Pace& source);

    const ArchSpec& arch_;
    const ResourceTable& resources_;
    NocCost noc_;
    DramCost dram_;
    RouteTable routes_;
};

}  // namespace tessera::timing

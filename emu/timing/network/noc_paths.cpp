// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/noc_paths.hpp"

#include <algorithm>

namespace tessera::timing {

// Reads, writes and multicasts have rates of their own (28.8, 31.3 and 30.5 B/cycle on Wormhole),
// none above that of the port they share.
NocCost::NocCost(const TimingSpec& timing, Bytes flit)
    : NocTimes(timing),
      acknowledgement(Pace(Cycles{0}, ejection_rate).of(flit.value)),
      read(timing.noc.packet_overhead, std::min(read_rate, injection_rate)),
      write(timing.noc.packet_overhead, std::min(write_rate, injection_rate)),
      link(timing.noc.packet_overhead, link_rate),
      ejection(timing.noc.packet_overhead, ejection_rate),
      multicast(timing.noc.packet_overhead, std::min(multicast_rate, injection_rate)) {
}

DramCost::DramCost(const TimingSpec& timing)
    : DramTimes(timing),
      bank_read(timing.dram.request_overhead, bank_read_rate),
      bank_write(timing.dram.request_overhead, bank_write_rate),
      write_port(Cycles{0}, write_port_rate),
      channel(Cycles{0}, channel_rate) {
}

NocPaths::NocPaths(const ArchSpec& arch, const TimingSpec& timing, const ResourceTable& resources)
    : arch_(arch),
      resources_(resources),
      noc_(timing, arch.noc.flit),
      dram_(timing),
      routes_(arch.noc.grid) {
}

UnicastRoute NocPaths::route_of(NodePair nodes, PacketClass of) {
    const std::span<const std::uint16_t> channels = routes_.of(nodes.noc, nodes.from, nodes.to);
    return {.channels = channels.data(),
            .num_hops = static_cast<std::uint32_t>(channels.size()),
            .base = kVcGroupsPerLink * resources_.network(nodes.device, nodes.noc) +
                    policy_of(of).vc_group};
}

UnicastRoute NocPaths::route_of(NodePair nodes, PacketClass of, std::uint32_t bytes,
                                const Pace& source) {
    UnicastRoute route = route_of(nodes, of);
    route.injection = source.of(bytes);
    route.link = noc_.link.of(bytes);
    route.ejection = noc_.ejection.of(bytes);
    return route;
}

UnicastRoute NocPaths::write(NodePair nodes, std::uint32_t bytes) {
    return route_of(nodes, PacketClass::Data, bytes, noc_.write);
}

UnicastRoute NocPaths::request(NodePair nodes) {
    return route_of(nodes, PacketClass::Request);
}

// An interface accepts a limited number of reads in a time, however small they are. Without this
// limit, many cores that read 64 B from one place of Blackhole's DRAM were served three times too
// fast.
UnicastRoute NocPaths::answer(NodePair nodes, std::uint32_t bytes, NocPlace place) {
    const bool is_dram = place.is_dram();
    UnicastRoute route =
        route_of(nodes, PacketClass::Answer, bytes, is_dram ? noc_.link : noc_.read);
    route.slot = is_dram ? dram_.read_slot : noc_.read_slot;
    return route;
}

BankPath NocPaths::bank(std::uint32_t device, std::uint32_t index, Access access,
                        std::uint32_t bytes) const {
    // DRAM transfers whole bursts: a read of 32 B takes its bank as long as one of 64 B.
    const auto burst = static_cast<std::uint32_t>(dram_.burst);
    const std::uint32_t moved = (bytes + burst - 1) / burst * burst;
    const Pace& pace = access == Access::Read ? dram_.bank_read : dram_.bank_write;
    return {.bank = resources_.bank(device, index),
            // Two banks of Wormhole share a controller, whose rate (44.5 B/cycle for two
            // times 22.2) is the limit when both are busy.
            .channel = resources_.channel(device, arch_.dram.endpoints[index].channel),
            .on_bank = pace.of(moved),
            .on_channel = dram_.channel.of(moved)};
}

}  // namespace tessera::timing

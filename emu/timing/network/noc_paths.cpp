// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/noc_paths.hpp"

#include <algorithm>

namespace tessera::timing {

NocTimes::NocTimes(const NocTiming& noc)
    : hop(to_millicycles(noc.hop)),
      interface(to_millicycles(noc.interface)),
      command(to_millicycles(noc.command)),
      l1_read(to_millicycles(noc.l1_read)),
      l1_write(to_millicycles(noc.l1_write)),
      completion(to_millicycles(noc.completion)),
      atomic(to_millicycles(noc.atomic)),
      multicast_setup(to_millicycles(noc.multicast_setup)),
      read(noc.packet_overhead, std::min(noc.read_rate, noc.injection_rate)),
      write(noc.packet_overhead, std::min(noc.write_rate, noc.injection_rate)),
      link(noc.packet_overhead, noc.link_rate),
      ejection(noc.packet_overhead, noc.ejection_rate),
      multicast(noc.packet_overhead, std::min(noc.multicast_rate, noc.injection_rate)) {
}

DramTimes::DramTimes(const DramTiming& dram)
    : read_latency(to_millicycles(dram.read_latency)),
      write_latency(to_millicycles(dram.write_latency)),
      bank_read(dram.request_overhead, dram.bank_read_rate),
      bank_write(dram.request_overhead, dram.bank_write_rate),
      channel(Cycles{0}, dram.channel_rate),
      burst(static_cast<std::uint32_t>(dram.burst.value)) {
}

NocPaths::NocPaths(const ArchSpec& arch, const TimingSpec& timing, const ResourceTable& resources)
    : arch_(arch),
      resources_(resources),
      noc_(timing.noc),
      dram_(timing.dram),
      routes_{NocRoute{arch.noc.grid, 0}, NocRoute{arch.noc.grid, 1}} {
}

void NocPaths::unicast(NocWay way, std::uint32_t bytes, Pace source, PacketPath& path) const {
    const Millicycles on_link = noc_.link.of(bytes);
    path.add({resources_.injection(way.device, way.noc, way.from), 0, source.of(bytes)});
    Millicycles offset = noc_.interface;
    RouterInput input = RouterInput::Local;
    std::uint32_t is_past_dateline = 0;
    routes_[way.noc].for_each_link(way.from, way.to, [&](CoreCoord node, NocAxis axis) {
        const auto along = axis == NocAxis::X ? RouterInput::X : RouterInput::Y;
        is_past_dateline = along == input ? is_past_dateline : 0;
        const std::uint32_t link = resources_.link(way.device, way.noc, node, axis);
        path.add({link, offset, on_link, 2 * link + is_past_dateline, input});
        is_past_dateline |= routes_[way.noc].wraps(node, axis) ? 1U : 0U;
        input = along;
        offset += noc_.hop;
    });
    const std::uint32_t ejection = resources_.ejection(way.device, way.noc, way.to);
    path.add({ejection, offset, noc_.ejection.of(bytes), 2 * ejection, input});
    path.latency = offset + noc_.interface;
}

void NocPaths::bank(std::uint32_t device, std::uint32_t index, Access access, std::uint32_t bytes,
                    Millicycles offset, PacketPath& path) const {
    const std::uint32_t moved = (bytes + dram_.burst - 1) / dram_.burst * dram_.burst;
    const Pace& pace = access == Access::Read ? dram_.bank_read : dram_.bank_write;
    path.add({resources_.bank(device, index), offset, pace.of(moved)});
    const std::uint32_t channel = arch_.dram.endpoints[index].channel;
    path.add({resources_.channel(device, channel), offset, dram_.channel.of(moved)});
}

}  // namespace tessera::timing

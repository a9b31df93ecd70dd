// SPDX-License-Identifier: Apache-2.0
#include "emu/api/fabric/route.hpp"

#include "emu/core/fault.hpp"
#include "emu/mesh/device.hpp"

namespace tessera {
namespace {

using tt::tt_fabric::LowLatencyRoutingFields;

[[noreturn]] void fault_no_route(const FabricPacket& packet) {
    fault(FaultCategory::UndefinedBehavior, packet.site,
          "{}: the packet header has no route: fabric_set_unicast_route, to_chip_unicast, "
          "to_chip_multicast or fabric_set_mcast_route gives one",
          packet.call);
}

// Along a line: fields until the one that says "write here" alone.
PacketRoute line_route(const FabricPacket& packet, LinkDirection direction) {
    std::uint64_t fields = packet.header.routing_fields.value;
    std::uint32_t written_from = 0;
    for (std::uint32_t hops = 1; hops <= LowLatencyRoutingFields::MAX_NUM_HOPS; ++hops) {
        const std::uint64_t field = fields & LowLatencyRoutingFields::FIELD_MASK;
        fields >>= LowLatencyRoutingFields::FIELD_WIDTH;
        if (field == 0) {
            break;
        }
        const bool writes = field != LowLatencyRoutingFields::FORWARD_ONLY;
        if (!writes && written_from != 0) {
            fault(FaultCategory::Unimplemented, packet.site,
                  "{}: the packet is written {} hops away and passes the next device by; devices "
                  "of a multicast follow each other",
                  packet.call, hops - 1);
        }
        written_from = writes && written_from == 0 ? hops : written_from;
        if (field == LowLatencyRoutingFields::WRITE_ONLY) {
            return {{direction, hops}, {}, written_from};
        }
    }
    fault_no_route(packet);
}

PacketRoute mesh_route(std::uint64_t word) {
    if (is_mesh_box(word)) {
        const MeshBox box = unpack_mesh_box(word);
        return {box.first, {}, 1, box.east, box.west};
    }
    const MeshRoute route = unpack_mesh_route(word);
    return route.column.hops != 0 ? PacketRoute{route.column, route.row, route.column.hops}
                                  : PacketRoute{route.row, {}, route.row.hops};
}

}  // namespace

PacketRoute route_of(const FabricPacket& packet) {
    const LinkDirection direction = link_channel(packet.channel).direction;
    if (packet.header.padding == 0) {
        return line_route(packet, direction);
    }
    const PacketRoute route = mesh_route(packet.header.padding);
    if (route.first.direction != direction) {
        fault(FaultCategory::UndefinedBehavior, packet.site,
              "{}: the packet's route begins to the {}, the connection leads to the {}",
              packet.call, name_of(route.first.direction), name_of(direction));
    }
    return route;
}

Device& device_after(const Device& from, const PacketRoute& route, std::uint32_t hops,
                     const FabricPacket& packet) {
    return across_links(from, {route.first.direction, hops}, packet.call, packet.site);
}

Device& last_device(const Device& from, const PacketRoute& route, const FabricPacket& packet) {
    Device& corner = device_after(from, route, route.first.hops, packet);
    return route.second.hops == 0 ? corner
                                  : across_links(corner, route.second, packet.call, packet.site);
}

}  // namespace tessera

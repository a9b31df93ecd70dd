// SPDX-License-Identifier: Apache-2.0
// Devices that a packet is written on, by the route in its header.
#pragma once

#include <cstdint>

#include "emu/api/fabric/packet.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera {

class Device;

/// Route of a packet: a first leg, and a second one in the other axis or a box of devices.
struct PacketRoute {
    LinkRoute first;
    LinkRoute second;                ///< leg after a turn; 0 hops without one
    std::uint32_t written_from = 0;  ///< hops to the first device that the packet is written on
    std::uint32_t east = 0;          ///< devices of a box east of each device of the first leg
    std::uint32_t west = 0;          ///< devices of a box west of each device of the first leg

    /// Returns whether the packet is also written on devices before the last one of the first leg.
    [[nodiscard]] bool is_multicast() const noexcept { return written_from < first.hops; }
};

/// Returns the route in the packet's header.
/// Errors   KernelFault{UndefinedBehavior} if the header has no route, or its route starts in
///          another direction than the connection; {Unimplemented} if the route skips devices
///          between two devices that the packet is written on.
[[nodiscard]] PacketRoute route_of(const FabricPacket& packet);

/// Returns the device `hops` links along the first leg.
/// Errors   KernelFault{OutOfBounds} if the route leaves the mesh.
[[nodiscard]] Device& device_after(const Device& from, const PacketRoute& route, std::uint32_t hops,
                                   const FabricPacket& packet);
/// Returns the last device of the route.
[[nodiscard]] Device& last_device(const Device& from, const PacketRoute& route,
                                  const FabricPacket& packet);

/// Calls act(device) for `first` and for the devices of the route's box in the same row.
template <typename Act>
void for_each_in_row(Device& first, const PacketRoute& route, const FabricPacket& packet, Act act) {
    act(first);
    for (std::uint32_t hops = 1; hops <= route.east; ++hops) {
        act(across_links(first, {LinkDirection::East, hops}, packet.call, packet.site));
    }
    for (std::uint32_t hops = 1; hops <= route.west; ++hops) {
        act(across_links(first, {LinkDirection::West, hops}, packet.call, packet.site));
    }
}

/// Calls act(device) for each device that the packet is written on, the nearest first.
template <typename Act>
void for_each_device(const Device& from, const PacketRoute& route, const FabricPacket& packet,
                     Act act) {
    for (std::uint32_t hops = route.written_from; hops < route.first.hops; ++hops) {
        for_each_in_row(device_after(from, route, hops, packet), route, packet, act);
    }
    for_each_in_row(last_device(from, route, packet), route, packet, act);
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Names of a device's links as in kernels, and the devices at the end of a packet's route.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/call_site.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/mesh_route.hpp"

namespace tessera {

class Device;

/// One link of a device: the word in a kernel's connection.
struct LinkChannel {
    LinkDirection direction = LinkDirection::East;
    std::uint32_t link = 0;
};

inline constexpr std::uint32_t kNumLinkChannels = 4 * kLinksPerDirection;

[[nodiscard]] constexpr LinkChannel link_channel(std::uint32_t channel) noexcept {
    return {static_cast<LinkDirection>(channel % 4), channel / 4};
}
/// Returns "link 0 to the east".
[[nodiscard]] std::string to_string(LinkChannel channel);

/// Returns a route as a word that is never 0: hops and directions of both legs.
[[nodiscard]] constexpr std::uint64_t pack(const MeshRoute& route) noexcept {
    return std::uint64_t{1} << 63U | std::uint64_t{route.column.hops} |
           static_cast<std::uint64_t>(route.column.direction) << 16U |
           std::uint64_t{route.row.hops} << 24U |
           static_cast<std::uint64_t>(route.row.direction) << 40U;
}
[[nodiscard]] constexpr MeshRoute unpack_mesh_route(std::uint64_t word) noexcept {
    return {
        {static_cast<LinkDirection>(word >> 16U & 3U), static_cast<std::uint32_t>(word & 0xFFFF)},
        {static_cast<LinkDirection>(word >> 40U & 3U),
         static_cast<std::uint32_t>(word >> 24U & 0xFFFF)}};
}

/// Returns a box as a word that is never 0 and never equals the word of a route.
[[nodiscard]] constexpr std::uint64_t pack(const MeshBox& box) noexcept {
    return std::uint64_t{3} << 62U | std::uint64_t{box.first.hops} |
           static_cast<std::uint64_t>(box.first.direction) << 16U | std::uint64_t{box.east} << 24U |
           std::uint64_t{box.west} << 32U;
}
[[nodiscard]] constexpr bool is_mesh_box(std::uint64_t word) noexcept {
    return word >> 62U == 3;
}
[[nodiscard]] constexpr MeshBox unpack_mesh_box(std::uint64_t word) noexcept {
    return {
        {static_cast<LinkDirection>(word >> 16U & 3U), static_cast<std::uint32_t>(word & 0xFFFF)},
        static_cast<std::uint32_t>(word >> 24U & 0xFF),
        static_cast<std::uint32_t>(word >> 32U & 0xFF)};
}

/// Returns the device at the end of `route` from `from`. `call` names the API function in messages.
/// Errors   KernelFault{OutOfBounds} if the mesh ends before.
[[nodiscard]] Device& across_links(const Device& from, LinkRoute route, const char* call,
                                   CallSite site);

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Numbers of transfers, resources, links and groups of virtual channels. Each has a type of its
// own, so that the compiler refuses one in place of another.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::timing {

/// Transfer in flight. Numbers are reused.
enum class TransferId : std::uint32_t {};
inline constexpr TransferId kNoTransfer{0xFFFFFFFFU};

/// Resource of a ResourceTable. Ports and links of the NoCs have the lowest numbers.
enum class ResourceId : std::uint32_t {};
inline constexpr ResourceId kNoResource{0xFFFFFFFFU};

/// Injection port, ejection port or link of a NoC.
enum class LinkId : std::uint32_t {};

/// Virtual channels of one link that packets of one class may use on one side of the dateline.
enum class VcGroup : std::uint32_t {};
inline constexpr VcGroup kNoVcGroup{0xFFFFFFFFU};

/// Groups of a link: two sides of the dateline, each with a group for requests and data and one for
/// answers.
inline constexpr std::uint32_t kVcGroupsPerLink = 4;
inline constexpr std::uint32_t kVcGroupsPerSide = 2;

/// Returns the place of a number in a table.
template <class Id>
[[nodiscard]] constexpr std::uint32_t index_of(Id id) noexcept {
    return static_cast<std::uint32_t>(id);
}
/// Returns the link that a group of virtual channels shares.
[[nodiscard]] constexpr LinkId link_of(VcGroup group) noexcept {
    return LinkId{index_of(group) / kVcGroupsPerLink};
}
/// Returns a link's group of requests and data.
[[nodiscard]] constexpr VcGroup request_group_of(LinkId link, bool is_past_dateline) noexcept {
    return VcGroup{kVcGroupsPerLink * index_of(link) + (is_past_dateline ? kVcGroupsPerSide : 0)};
}
/// Returns a link's number among all resources.
[[nodiscard]] constexpr ResourceId resource_of(LinkId link) noexcept {
    return ResourceId{index_of(link)};
}

}  // namespace tessera::timing

// SPDX-License-Identifier: Apache-2.0
// The cores of ops that send rows from every device of a group to every other, and who talks to
// whom.
//
// A device has one core for each link of each direction, and as many again for rows that stay. One
// core controls the others; the rest sum. Packets travel along the column, then along the row; a
// core sends to the devices whose route begins in its direction.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ops/op.hpp"
#include "tessera/mesh_route.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::token_exchange {

/// East, west, north, south, and rows that stay on the device.
inline constexpr std::uint32_t kWays = 5;
inline constexpr std::uint32_t kStays = 4;

/// Words of the shape of a routing table, kernels/routing.hpp: the first compile-time arguments.
inline constexpr std::uint32_t kShapeWords = 9;

/// One device of a group.
struct Rank {
    const ArchSpec& arch;
    const MeshSpec& mesh;
    std::span<const std::uint32_t> devices;
    std::uint32_t position = 0;
    std::uint32_t links = 1;
    /// Whether rows for the device opposite on a ring go east or south from all devices, not from
    /// half of them. The mesh is a single row or column then.
    bool opposite_goes_forward = false;

    [[nodiscard]] std::uint32_t device() const { return devices[position]; }
    [[nodiscard]] std::uint32_t num_senders() const { return kWays * links; }
    [[nodiscard]] CoreCoord core(std::uint32_t index) const;
    [[nodiscard]] CoreCoord sender(std::uint32_t way, std::uint32_t link) const {
        return core(way * links + link);
    }
    [[nodiscard]] CoreCoord control() const { return core(num_senders()); }
    /// Returns the cores after that of control.
    [[nodiscard]] std::vector<CoreCoord> rest() const;
    /// Returns the way of rows for the device at `other`.
    [[nodiscard]] std::uint32_t way_to(std::uint32_t other) const;
    /// Returns the target by which kernels name the device at `other` (kernels/peers.hpp).
    [[nodiscard]] std::uint32_t target_of(std::uint32_t other) const;
    /// Returns the positions of the devices that the cores of `way` send to, those a step further
    /// on first; on a line the nearest first.
    [[nodiscard]] std::vector<std::uint32_t> peers_of(std::uint32_t way) const;
};

/// Judges the rules of `links` on a device's grid, blamed on that parameter, with `others` cores
/// besides.
void judge_links(const ArchSpec& arch, std::uint32_t links, std::uint32_t others, RuleJudge& judge);

/// Returns a core's virtual NoC coordinates in one word, x in the low half.
[[nodiscard]] std::uint32_t core_word(const ArchSpec& arch, CoreCoord core);

/// Returns the words that kernels/peers.hpp reads: number of peers, then target, rank and core of
/// each.
[[nodiscard]] std::vector<std::uint32_t> peer_words(const Rank& rank, std::uint32_t way,
                                                    std::uint32_t link);

/// Appends what the writer of a core that sends reads of its peers: peer_words, and a connection to
/// the link that leads to them, if there are any.
void append_peers(std::vector<std::uint32_t>& args, const Rank& rank, std::uint32_t way,
                  std::uint32_t link, Program& program);

/// Returns the most bytes of a packet in which rows travel.
[[nodiscard]] std::uint32_t piece_bytes(const ArchSpec& arch, std::uint32_t row_bytes);

/// Adds a circular buffer of `pages` pages; sizes are rounded up to 64 bytes.
void add_buffer(Program& program, const CoreRangeSet& cores, std::uint8_t index,
                std::uint32_t page_bytes, std::uint32_t pages);

[[nodiscard]] CoreRangeSet range_set(std::span<const CoreCoord> cores);
void append(std::vector<std::uint32_t>& args, std::span<const std::uint32_t> more);
void append_accessor(std::vector<std::uint32_t>& args, const DeviceTensor& tensor);

}  // namespace tessera::ops::token_exchange

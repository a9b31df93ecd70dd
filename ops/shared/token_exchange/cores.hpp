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

#include "emu/base/round_up.hpp"
#include "ops/op.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/token_exchange/kernels/args.hpp"
#include "tessera/mesh_route.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::token_exchange {

/// Directions of rows: those of LinkDirection, and kLocal of rows that stay on the device.
inline constexpr std::uint32_t kDirections = 5;
inline constexpr std::uint32_t kLocal = 4;

/// Returns a size of a page in L1 or of a row that is read by itself: a multiple of the longest
/// alignment of DRAM.
[[nodiscard]] constexpr std::uint32_t padded(std::uint32_t bytes) {
    return round_up(bytes, 64U);
}

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
    [[nodiscard]] std::uint32_t num_senders() const { return kDirections * links; }
    [[nodiscard]] CoreCoord core(std::uint32_t index) const;
    [[nodiscard]] CoreCoord sender(std::uint32_t direction, std::uint32_t link) const {
        return core(direction * links + link);
    }
    [[nodiscard]] CoreCoord control() const { return core(num_senders()); }
    /// Returns the cores after that of control.
    [[nodiscard]] std::vector<CoreCoord> rest() const;
    /// Returns the direction of rows for the device at `other`.
    [[nodiscard]] std::uint32_t direction_to(std::uint32_t other) const;
    /// Returns the target by which kernels name the device at `other` (kernels/peers.hpp).
    [[nodiscard]] std::uint32_t target_of(std::uint32_t other) const;
    /// Returns the positions of the devices that the cores of a direction send to, those a step
    /// further on first; on a line the nearest first.
    [[nodiscard]] std::vector<std::uint32_t> peers_of(std::uint32_t direction) const;
};

/// Judges the rules of `links` on a device's grid, blamed on that parameter, with `others` cores
/// besides.
void judge_links(const ArchSpec& arch, std::uint32_t links, std::uint32_t others, RuleJudge& judge);

/// Returns a core's virtual NoC coordinates in one word (word_of_core).
[[nodiscard]] std::uint32_t core_word(const ArchSpec& arch, CoreCoord core);

/// Returns the list of PeerArgs of a core that sends, after its ListSize.
[[nodiscard]] std::vector<std::uint32_t> peer_words(const Rank& rank, std::uint32_t direction,
                                                    std::uint32_t link);

/// Returns what the writer of such a core reads of its peers: peer_words, and a connection to the
/// link that leads to them, if there are any.
[[nodiscard]] std::vector<std::uint32_t> connected_peer_words(const Rank& rank,
                                                              std::uint32_t direction,
                                                              std::uint32_t link, Program& program);

/// Returns the most bytes of a packet in which rows travel.
[[nodiscard]] std::uint32_t piece_bytes(const ArchSpec& arch, std::uint32_t row_bytes);

/// Semaphores of cores that write rows: their start, and the count of senders on the control core.
struct WriterSemaphores {
    std::uint32_t started = 0;
    std::uint32_t rows_arrived = 0;
};
/// Returns the arguments of a core that writes rows of `row_bytes`, without a table and scales.
[[nodiscard]] WriterArgs writer_args(const Rank& rank, std::uint32_t direction,
                                     std::uint32_t row_bytes, WriterSemaphores semaphores);
/// Adds kernels/dispatch_writer.cpp. Ops without a routing table leave out `shape`.
[[nodiscard]] KernelHandle add_row_writer(Program& program, const CoreRangeSet& cores,
                                          const WriterTensors& tensors,
                                          const ShapeArgs& shape = {});

/// Adds a circular buffer of `pages` pages of padded(page_bytes).
template <class Cb>
void add_buffer(Program& program, const CoreRangeSet& cores, Cb cb, std::uint32_t page_bytes,
                std::uint32_t pages) {
    add_circular_buffer(program, cores, cb, DataFormat::UInt32, {pages, padded(page_bytes)});
}

[[nodiscard]] CoreRangeSet range_set(std::span<const CoreCoord> cores);
/// Returns a list of CoreWord, after its ListSize.
[[nodiscard]] std::vector<std::uint32_t> core_words(const ArchSpec& arch,
                                                    std::span<const CoreCoord> cores);
void append(std::vector<std::uint32_t>& args, std::span<const std::uint32_t> more);

}  // namespace tessera::ops::token_exchange

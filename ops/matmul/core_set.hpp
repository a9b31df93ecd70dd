// SPDX-License-Identifier: Apache-2.0
// The cores of a matmul that multiplies blocks: the blocks of each core, and its senders and
// receivers.
#pragma once

#include <vector>

#include "ops/matmul/blocking.hpp"

namespace tessera::ops::matmul {

/// Returns the cores that own blocks, those of a row one after the other. Multicast1D: the first
/// cores of the grid in row-major order.
[[nodiscard]] CoreRangeSet cores_of(const ArchSpec& arch, const Blocking& blocking,
                                    const MatmulSpec& schedule);

/// How a core obtains the blocks of one operand.
enum class Feed : std::uint8_t {
    Reads,     ///< from memory, and multicasts them if there are receivers
    Receives,  ///< from the core that reads
    Shards     ///< from its own shard; block-sharded: and from those of its row
};

/// The rectangle that blocks of one operand are multicast to.
struct Audience {
    CoreCoord sender;
    CoreRange rectangle;
    std::uint32_t num_receivers = 0;  ///< cores in the rectangle, without the sender
    std::uint32_t num_replies = 0;    ///< receivers that ask for blocks
};

struct CoreRole {
    CoreCoord core;
    std::uint32_t row = 0;     ///< row of the core's out blocks, in per_core_m
    std::uint32_t column = 0;  ///< in per_core_n
    Feed in0 = Feed::Reads;
    Feed in1 = Feed::Reads;
    Audience in0_audience;
    Audience in1_audience;
    /// Receivers right of the middle swap their NoCs, as upstream, so that both NoCs carry output.
    bool has_swapped_nocs = false;
};

/// Returns one role a core, in the order of `cores_of`.
[[nodiscard]] std::vector<CoreRole> core_roles(const ArchSpec& arch, const Blocking& blocking,
                                               const MatmulSpec& schedule);

}  // namespace tessera::ops::matmul

// SPDX-License-Identifier: Apache-2.0
// Host code that attention over a latent cache and over heads of their own share: circular buffers,
// compute and writer kernels, and the sum that references take.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::attention {

struct Shapes {
    std::uint32_t query_tiles = 0;  ///< of a row of queries and keys
    std::uint32_t value_tiles = 0;
    std::uint32_t block = 0;        ///< key tiles that are worked on together
    bool has_values = false;        ///< else values are the first columns of the keys
    std::uint32_t scale_tiles = 0;  ///< scales of a key's values, which are in fp8; 0: in bfloat16
    double scale = 1;               ///< of scores
    std::uint32_t detour_bytes = 0;
    std::uint32_t page_words = 0;    ///< of a sequence's page table, in L1
    std::uint32_t chosen_words = 0;  ///< of a token's list of positions, in L1

    [[nodiscard]] std::uint32_t partial_tiles() const { return value_tiles + 2; }
    /// Returns the tiles of a key's row in bfloat16.
    [[nodiscard]] std::uint32_t key_row_tiles() const {
        return scale_tiles == 0 ? query_tiles : query_tiles - value_tiles;
    }
};
[[nodiscard]] std::uint64_t buffer_bytes(const ArchSpec& arch, const Shapes& shapes);

/// Adds circular buffers and the compute kernel.
void add_compute(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                 const Shapes& shapes);
/// Semaphores by which a core that merges the sums of others says that it has room, and these that
/// theirs have arrived.
struct Handshake {
    std::uint32_t room = 0;
    std::uint32_t arrived = 0;
};
/// Adds the writer; set_writer_args sets its runtime arguments.
[[nodiscard]] KernelHandle add_writer(Program& program, const CoreRangeSet& cores,
                                      const Shapes& shapes, const DeviceTensor& output,
                                      Handshake handshake);

/// Sets the writer's arguments. `leader`: the core that merges, as the NoC names it; any core if
/// none sends its sums.
void set_writer_args(Program& program, KernelHandle writer, CoreCoord core,
                     const DeviceTensor& output, CoreCoord leader = {});

/// Attends one row of queries to `count` keys in double: weights Σ-normalised of scale · query ·
/// key.
void attend(std::size_t count, double scale, const std::function<double(std::size_t key)>& score,
            const std::function<void(std::size_t key, double weight)>& take);

/// Judges the rule of the circular buffers, blamed on `block`.
void judge_buffers(const ArchSpec& arch, const Shapes& shapes, RuleJudge& judge);

}  // namespace tessera::ops::attention

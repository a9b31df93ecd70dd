// SPDX-License-Identifier: Apache-2.0
// Host code shared by attention over a latent cache and over separate heads: circular buffers,
// compute and writer kernels, and the reference's sum.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::attention {

struct Shapes {
    std::uint32_t query_tiles = 0;  ///< tiles of a row of queries and keys
    std::uint32_t value_tiles = 0;
    std::uint32_t block = 0;        ///< key tiles that are worked on together
    bool has_values = false;        ///< else values are the first columns of the keys
    std::uint32_t scale_tiles = 0;  ///< scales of a key's values, which are in fp8; 0: in bfloat16
    double scale = 1;               ///< factor of scores
    std::uint32_t detour_bytes = 0;
    std::uint32_t page_words = 0;    ///< words of a sequence's page table in L1
    std::uint32_t chosen_words = 0;  ///< words of a token's list of positions in L1
    bool has_kv_heads = false;       ///< keys and values of several heads, each for some queries
    std::uint32_t strips = 1;        ///< groups of 32 queries that share a unit's keys
    std::uint32_t sink_bytes = 0;    ///< bytes of the sinks of all heads in L1; 0: none

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
/// Semaphores with which the merging core announces space, and each other core its arrived sums.
struct Handshake {
    std::uint32_t room = 0;
    std::uint32_t arrived = 0;
};
/// Adds the writer; set_writer_args sets its runtime arguments.
[[nodiscard]] KernelHandle add_writer(Program& program, const CoreRangeSet& cores,
                                      const Shapes& shapes, const DeviceTensor& output,
                                      Handshake handshake);

/// Sets the writer's arguments. `leader`: NoC coordinate of the merging core; any core if none
/// sends its sums.
void set_writer_args(Program& program, KernelHandle writer, CoreCoord core,
                     const DeviceTensor& output, CoreCoord leader = {});

/// One row of queries over `count` keys in double: weights Σ-normalised of scale · query · key. A
/// sink is one more term of the sum, which no weight belongs to.
void attend(std::size_t count, double scale, const std::function<double(std::size_t key)>& score,
            const std::function<void(std::size_t key, double weight)>& take,
            std::optional<double> sink = std::nullopt);

/// Heads of queries, in equal groups that share the keys and values of one head each.
struct HeadGroups {
    std::uint32_t heads = 1;
    std::uint32_t kv_heads = 1;

    [[nodiscard]] std::uint32_t group() const { return heads / kv_heads; }
};

/// Checks heads and window of a call. Without keys and values of each head, one latent serves all
/// heads, and a token attends to all positions.
void judge_heads(const HeadGroups& heads, std::uint32_t window, bool has_kv_heads,
                 RuleJudge& judge);
/// Checks that a tensor of sinks has one sink for each head.
void judge_sinks(const Shape& sinks, std::uint32_t heads, RuleJudge& judge);

/// Returns the elements of a head of values, if rows of both caches have the same number of heads.
[[nodiscard]] std::uint32_t value_dim(const Shape& keys, const Shape& values,
                                      std::uint32_t head_dim);

/// Caches of keys and values of heads: operand, tensor, elements of a head.
struct HeadCache {
    const Operand* operand = nullptr;
    const TensorSpec* tensor = nullptr;
    std::uint32_t dim = 0;
};
struct HeadCachePair {
    HeadCache keys;
    HeadCache values;
    std::uint32_t kv_heads = 1;
    std::uint32_t page_size = 0;  ///< 0: without pages
};
/// Checks that rows of both are heads, positions or pages, that rows with several heads are aligned
/// for reads, and that values have the same positions as keys.
void judge_head_caches(const ArchSpec& arch, const HeadCachePair& caches, RuleJudge& judge);

/// Checks that the circular buffers fit; a violation names `block`.
void judge_buffers(const ArchSpec& arch, const Shapes& shapes, RuleJudge& judge);

}  // namespace tessera::ops::attention

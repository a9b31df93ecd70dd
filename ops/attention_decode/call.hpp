// SPDX-License-Identifier: Apache-2.0
// Operands of a call: which of them there are, their lengths, and the shapes of programs that
// follow from them.
#pragma once

#include "emu/base/round_up.hpp"
#include "ops/attention_decode/attention_decode.hpp"
#include "ops/shared/attention/attention.hpp"
#include "ops/shared/expert_rows/tables.hpp"

namespace tessera::ops::attention_decode {

inline constexpr std::uint32_t kMostSplit = 64;  ///< cores that may share a token's keys

/// Operands of both forms.
inline constexpr std::size_t kQuery = "query"_in;
inline constexpr std::size_t kRope = "q_rope"_in;
inline constexpr std::size_t kCache = "cache"_in;
inline constexpr std::size_t kPageTable = "page_table"_in;
inline constexpr std::size_t kPositions = "positions"_in;
/// An fp8 cache is followed by its scales and rotated parts, before optional lists.
inline constexpr std::size_t kScales = place_of(kFp8Inputs, "cache_scale");
inline constexpr std::size_t kRopeCache = place_of(kFp8Inputs, "rope_cache");
/// Operands of a cache in bfloat16 that has keys alone.
inline constexpr std::size_t kValues = "values"_in;
inline constexpr std::size_t kSinks = "sinks"_in;

inline bool is_fp8(DataFormat cache) {
    return cache == DataFormat::Fp8_e4m3;
}
inline std::size_t place_of_chosen(DataFormat cache) {
    return is_fp8(cache) ? place_of(kFp8Inputs, "chosen") : "chosen"_in;
}
inline std::size_t place_of_sequences(DataFormat cache) {
    return is_fp8(cache) ? place_of(kFp8Inputs, "sequences") : "sequences"_in;
}
/// Returns the format of the cache that an op's spec states.
[[nodiscard]] DataFormat cache_format(const OpSpec& spec);

/// Extents of a call, in elements.
struct Extents {
    std::uint32_t tokens, heads;
    std::uint32_t latent;    ///< elements of a query without its rotated part
    std::uint32_t rope;      ///< 0: none
    std::uint32_t kv_heads;  ///< 0: latents are keys and values of all heads
    std::uint32_t value;     ///< elements of a head of the output

    [[nodiscard]] bool has_kv_heads() const { return kv_heads != 0; }
    [[nodiscard]] attention::HeadGroups groups() const {
        return {heads, has_kv_heads() ? kv_heads : 1};
    }
    // Units of work: rows of a tile of queries are up to 32 heads that share keys.
    [[nodiscard]] std::uint32_t units() const {
        return tokens * groups().kv_heads * div_up(groups().group(), kTileRows);
    }
    /// Returns the elements of a position of a cache in bfloat16.
    [[nodiscard]] std::uint32_t cache_columns() const {
        return has_kv_heads() ? kv_heads * latent : latent + rope;
    }
};

[[nodiscard]] Extents extents_of(const OpContext& context);
[[nodiscard]] Extents extents_of(const ReferenceContext& context, DataFormat cache);

/// Returns the entries of a token's list of chosen keys; 0 without one.
[[nodiscard]] std::uint32_t chosen_width(std::span<const TensorPlan> inputs);

/// Returns the blocks of a latent that have a scale each; 0 in bfloat16.
[[nodiscard]] std::uint32_t scales_of(DataFormat cache, const Extents& extents);

/// Returns whether positions of a page follow each other at addresses that DRAM cannot be read at.
[[nodiscard]] bool is_misaligned(const OpContext& context, const Extents& extents);

[[nodiscard]] attention::Shapes shapes_of(const OpContext& context);

/// Returns the launch of a call: groups of cores that share a token's keys (program.cpp).
[[nodiscard]] std::vector<DeviceProgram> programs(const OpContext& context);

/// Returns the least work of a call of the op with this spec (work.cpp).
[[nodiscard]] LeastWork work_of(const OpSpec& spec, const BoundContext& context);

/// The plain computation that results are compared with (reference.cpp).
[[nodiscard]] std::vector<HostTensor> reference(const OpSpec& spec,
                                                const ReferenceContext& context);
/// Errors   UsageError where the page table or the positions leave the cache.
void check_values(const OpSpec& spec, const ReferenceContext& context);

}  // namespace tessera::ops::attention_decode

// SPDX-License-Identifier: Apache-2.0
// Rows of new tokens into the pages of a cache.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// The row of a cache that holds a position of a sequence: page_table[sequence][position /
/// page_size] · page_size + position % page_size.
class CachePages {
public:
    CachePages(HostTensor table, std::uint32_t page_size)
        : table_(std::move(table)), page_size_(page_size) {}

    [[nodiscard]] std::size_t num_sequences() const { return table_.shape[0]; }
    [[nodiscard]] std::size_t row(std::size_t sequence, std::size_t position) const {
        const std::size_t entry = sequence * table_.shape[1] + position / page_size_;
        return static_cast<std::size_t>(table_.as<std::int32_t>()[entry]) * page_size_ +
               position % page_size_;
    }

private:
    HostTensor table_;
    std::size_t page_size_;
};

/// Returns how many positions a row of a cache's tensor holds, if a position has `columns`: one, or
/// those of a page, one behind the other, so that they can be read together; 0 if neither fits.
[[nodiscard]] std::uint32_t positions_of_row(const Shape& cache, std::uint32_t columns,
                                             std::uint32_t page_size);

/// Judges that rows of a cache are positions of `columns` elements or pages of them. Positions of a
/// page must begin where reads are aligned to `alignment` bytes.
void judge_cache_rows(const Operand& operand, const TensorSpec& cache, std::uint32_t columns,
                      std::uint32_t page_size, std::uint32_t alignment, RuleJudge& judge);

/// Returns how many positions the whole tensor holds.
[[nodiscard]] std::uint32_t positions_of(const Shape& cache, std::uint32_t columns);

/// Errors   UsageError naming op, tensor, position in it, value and what is allowed, if a page lies
///          outside of the cache's `rows`, each a position, a position behind a sequence's pages,
///          or a token has no sequence. Position −1 is that of a token that is not there.
void check_cache_places(std::string_view op, const HostTensor& page_table,
                        const HostTensor& positions, const HostTensor* sequences,
                        std::uint32_t page_size, std::uint32_t rows);

}  // namespace tessera::ops

namespace tessera::ops::kv_cache_append {

struct AppendSpec : CopySpec {
    std::uint32_t page_size = 32;  ///< positions of a page
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"rows", "(..., A)", "any", "ROW_MAJOR"},
    Operand{"cache", "(P, C)", "=rows", "ROW_MAJOR"},
    Operand{"page_table", "(S, N)", "int32", "ROW_MAJOR"},
    Operand{"positions", "any", "int32", "ROW_MAJOR"},
    Operand{.name = "more",
            .shape = "(..., B)",
            .format = "=rows",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "sequences",
            .shape = "any",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"output", "(P, C)", "=rows", "ROW_MAJOR"}};
inline constexpr OpSpec kSpec{
    .name = "kv_cache_append",
    .summary = "writes rows of new tokens into the pages of their sequences",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry: the row of token t, and of `more` behind it, becomes the row
/// of the cache that its position says; the output is to be the cache itself, whose other rows
/// stay. Tokens of one sequence follow each other, as many of each, unless `sequences` says whose
/// each one is; a position of −1 is skipped. One token of each sequence is what a step of decoding
/// appends, all of a prompt what a prefill does; a cache in fp8 has its codes and their scales as
/// tensors. A row of the cache's tensor is one position, or a page of them.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::kv_cache_append

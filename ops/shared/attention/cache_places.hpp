// SPDX-License-Identifier: Apache-2.0
// Paged caches of keys and values: where the positions of sequences are, and checks of page tables.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "ops/op.hpp"
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

/// Rows of `columns` elements that make up a cache: a position has `heads` of them, and a page
/// `page_size` positions.
struct CacheRowsSpec {
    std::uint32_t columns = 0;
    std::uint32_t page_size = 0;
    std::uint32_t heads = 1;

    [[nodiscard]] std::uint64_t of_position() const { return std::uint64_t{heads} * columns; }
    [[nodiscard]] std::uint64_t of_page() const { return of_position() * page_size; }
};

/// Returns the number of such rows in a row of a cache's tensor; 0 if the tensor has none of these
/// forms. They are one row, or the contiguous rows of a position or page, which are read together.
[[nodiscard]] std::uint32_t positions_of_row(const Shape& cache, std::uint32_t columns,
                                             std::uint32_t page_size, std::uint32_t heads = 1);

/// Checks that rows of a cache are such rows, positions or pages, and that contiguous rows start at
/// addresses aligned to `alignment` bytes.
void judge_cache_rows(const Operand& operand, const TensorSpec& cache, const CacheRowsSpec& rows,
                      std::uint32_t alignment, RuleJudge& judge);

/// Returns how many positions of `columns` elements the whole tensor holds.
[[nodiscard]] std::uint32_t positions_of(const Shape& cache, std::uint32_t columns);

/// Positions of a sequence that a token needs: up to `last`, its own.
struct NeededPages {
    std::size_t sequence = 0;
    std::int64_t last = 0;  ///< −1: none
    std::uint32_t page_size = 0;
    std::uint32_t window = 0;  ///< how many positions; 0: all
};
/// Errors   UsageError if a page that holds one of them is −1 in the table.
void check_pages(std::string_view op, const HostTensor& page_table, const NeededPages& needed);

/// Pages and positions at which a step reads or writes a cache.
struct CachePlaces {
    HostTensor page_table;
    HostTensor positions;
    HostTensor sequences;  ///< without a shape: the same number of tokens per sequence
    std::uint32_t page_size = 0;
    std::uint32_t cache_positions = 0;  ///< positions in the cache
    std::uint32_t window = 0;  ///< positions up to a token's own that the step needs; 0: all
};

/// Errors   UsageError naming op, tensor, position in it, value and what is allowed, if a page is
///          outside of the cache, a position is after a sequence's pages, a token has no sequence,
///          or a page that a token needs is −1. Position −1 denotes a token that does not exist.
void check_cache_places(std::string_view op, const CachePlaces& places);

}  // namespace tessera::ops

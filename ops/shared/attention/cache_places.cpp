// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/attention/cache_places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ops/shared/expert_rows/tables.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops {

// A row of the cache is one head, one position or a whole page; anything else is refused.
std::uint32_t positions_of_row(const Shape& cache, std::uint32_t columns, std::uint32_t page_size,
                               std::uint32_t heads) {
    const CacheRowsSpec rows{.columns = columns, .page_size = page_size, .heads = heads};
    const std::uint64_t row = row_length(cache);
    for (const std::uint64_t length :
         {std::uint64_t{columns}, rows.of_position(), rows.of_page()}) {
        if (row == length) {
            return static_cast<std::uint32_t>(row / columns);
        }
    }
    return 0;
}

void judge_cache_rows(const Operand& operand, const TensorSpec& cache, const CacheRowsSpec& rows,
                      std::uint32_t alignment, RuleJudge& judge) {
    const std::uint32_t together =
        positions_of_row(cache.shape, rows.columns, rows.page_size, rows.heads);
    const std::string of_head =
        rows.heads == 1 ? std::string() : fmt::format("{} of a head, ", rows.columns);
    judge.require(
        together != 0, operand.name,
        fmt::format("has rows of {} elements; allowed: {}{} of a position, or {} of a page",
                    row_length(cache.shape), of_head, rows.of_position(), rows.of_page()));
    // Rows inside of a page begin at any multiple of their size.
    const std::uint32_t bytes = rows.columns * element_bytes(cache.format);
    judge.require(together <= 1 || bytes % alignment == 0, operand.name,
                  fmt::format("has pages of positions of {} B; allowed: multiples of {} B", bytes,
                              alignment));
}

// The cache is a pool of positions, which pages of sequences share.
std::uint32_t positions_of(const Shape& cache, std::uint32_t columns) {
    return static_cast<std::uint32_t>(num_elements(cache) / columns);
}

namespace {

// Tokens of a sequence are consecutive if no list names their sequences.
std::size_t sequence_of(const CachePlaces& places, std::size_t token) {
    const std::size_t tokens = num_elements(places.positions.shape);
    return places.sequences.shape.empty()
               ? token / std::max<std::size_t>(tokens / places.page_table.shape[0], 1)
               : static_cast<std::size_t>(places.sequences.as<std::int32_t>()[token]);
}

void check_entries(std::string_view op, const CachePlaces& places) {
    const auto pages = places.page_table.as<std::int32_t>();
    const std::uint32_t width = places.page_table.shape[1];
    const std::int64_t num_pages = places.cache_positions / places.page_size;
    // Judged before the run: a page out of range would be written to another tensor.
    for (std::size_t i = 0; i < pages.size(); ++i) {
        require(pages[i] >= -1 && pages[i] < num_pages,
                "{}: page_table({},{}) is {}; the cache has pages 0 to {}; allowed: these, or -1 "
                "for none",
                op, i / width, i % width, pages[i], num_pages - 1);
    }
    const std::int64_t capacity = std::int64_t{width} * places.page_size;
    const auto entries = places.positions.as<std::int32_t>();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        // -1 is a token that has no place, as in a ragged batch.
        require(entries[i] >= -1 && entries[i] < capacity,
                "{}: positions[{}] is {}; the {} pages of a sequence hold 0 to {}; allowed: these, "
                "or -1 for none",
                op, i, entries[i], width, capacity - 1);
    }
    const auto num_sequences = static_cast<std::int64_t>(places.page_table.shape[0]);
    const std::size_t listed =
        places.sequences.shape.empty() ? 0 : num_elements(places.sequences.shape);
    for (std::size_t i = 0; i < listed; ++i) {
        const std::int32_t sequence = places.sequences.as<std::int32_t>()[i];
        require(sequence >= 0 && sequence < num_sequences,
                "{}: sequences[{}] is {}; the page table has 0 to {}", op, i, sequence,
                num_sequences - 1);
    }
}

}  // namespace

void check_pages(std::string_view op, const HostTensor& page_table, const NeededPages& needed) {
    const auto pages = page_table.as<std::int32_t>();
    const std::size_t width = page_table.shape[1];
    // Pages before the window may be −1: no token of the step reads them.
    const std::int64_t first =
        needed.window == 0 ? 0 : std::max<std::int64_t>(0, needed.last + 1 - needed.window);
    for (std::int64_t page = first / needed.page_size;
         needed.last >= 0 && page <= needed.last / needed.page_size; ++page) {
        const std::size_t entry = needed.sequence * width + static_cast<std::size_t>(page);
        require(pages[entry] >= 0,
                "{}: page_table({},{}) is -1; a token at position {} needs this page", op,
                needed.sequence, page, needed.last);
    }
}

void check_cache_places(std::string_view op, const CachePlaces& places) {
    check_entries(op, places);
    const auto entries = places.positions.as<std::int32_t>();
    for (std::size_t token = 0; token < entries.size(); ++token) {
        check_pages(op, places.page_table,
                    {.sequence = sequence_of(places, token),
                     .last = entries[token],
                     .page_size = places.page_size,
                     .window = places.window});
    }
}

}  // namespace tessera::ops

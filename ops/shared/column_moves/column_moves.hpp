// SPDX-License-Identifier: Apache-2.0
// Programs that make rows of ranges of other rows: heads split off, parts joined, heads merged.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/program.hpp"

namespace tessera::ops {

/// A range of elements of an input row that is copied to an output row.
struct ColumnRange {
    const DeviceTensor* input = nullptr;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t stride =
        0;  ///< elements from one head's range to the next one's, if rows are split
};

/// Output row r has, for each g < `groups`, the ranges of part r·groups + g in order. A part is an
/// input row, or with `split` > 1 one of `split` parts of it.
struct ColumnMove {
    std::vector<ColumnRange> ranges;  ///< one or two
    std::uint32_t rows = 0;           ///< rows of the output
    std::uint32_t groups = 1;
    std::uint32_t split = 1;

    [[nodiscard]] std::uint32_t row_bytes() const;  ///< in the output
};

/// The reading half of a program, which the caller's writer takes rows from: circular buffer 0 has
/// pages of page_bytes, in blocks of block_rows.
struct ColumnReader {
    std::uint32_t page_bytes = 0;
    std::uint32_t block_rows = 0;
};
[[nodiscard]] ColumnReader add_column_reader(Program& program, const ArchSpec& arch,
                                             const CoreRangeSet& cores,
                                             const std::vector<WorkShare>& shares,
                                             const ColumnMove& move, const CopySpec& schedule);

/// Deals output rows to the cores by split_work_to_cores. A range is read straight to its place
/// where its alignment allows it; else it takes a detour through L1, moved by the core.
[[nodiscard]] Program move_columns(std::string_view op, const ArchSpec& arch,
                                   const ColumnMove& move, const DeviceTensor& output,
                                   const CopySpec& schedule);

/// Checks the rules of a schedule for output rows of `row_bytes`.
void judge_column_moves(const ArchSpec& arch, std::uint64_t row_bytes, const CopySpec& schedule,
                        RuleJudge& judge);

/// Returns the moved columns, by plain loops.
[[nodiscard]] HostTensor moved_columns(const std::vector<HostTensor>& inputs,
                                       const ColumnMove& move, Shape shape);

/// Returns rows of the table of fields for an op whose struct of parameters derives from CopySpec.
template <class Spec>
inline constexpr std::array kColumnMoveFields{
    config::field<&Spec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    config::field<&Spec::cb_depth>("cb_depth", "8", "rows in a CB; half of them travel at a time",
                                   kDepth),
};

}  // namespace tessera::ops

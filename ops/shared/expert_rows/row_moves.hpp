// SPDX-License-Identifier: Apache-2.0
// Programs that copy rows of a tensor, chosen by a table or a range, to the rows of another.
#pragma once

#include <cstdint>
#include <optional>

#include "ops/op.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/schedule_fields.hpp"

namespace tessera::ops {

/// Rows of one device's tensors to copy: output row i is the input's row index[i] / divisor, or
/// first + i without an index. Rows that the input does not have are filled with a word.
struct RowMove {
    const DeviceTensor& input;
    const DeviceTensor& output;
    const DeviceTensor* index = nullptr;        ///< one entry per output row
    const DeviceTensor* limit = nullptr;        ///< (1): only so many rows are written
    const DeviceTensor* input_limit = nullptr;  ///< (1,1): the input has only so many rows
    std::uint32_t divisor = 1;
    std::uint32_t first = 0;
    std::uint32_t end = 0xFFFFFFFF;  ///< end of the input rows that may be copied
    std::uint32_t fill = 0;
    std::uint32_t output_first = 0;  ///< output row of the first moved row
    std::uint32_t count = 0;         ///< rows; 0: all of the output's
};

/// Returns the program that moves rows. Output rows are distributed over the cores by
/// split_work_to_cores. Rows longer than a packet of the smaller NoC are split into pieces, half of
/// the circular buffer's pages at a time.
[[nodiscard]] Program move_rows(std::string_view op, const ArchSpec& arch, const RowMove& move,
                                const CopySpec& schedule);

/// Checks the rules of a schedule for rows of `row_bytes`.
void judge_row_moves(const ArchSpec& arch, std::uint32_t row_bytes, const CopySpec& schedule,
                     RuleJudge& judge);

/// Returns the moved rows, computed with plain loops: `num_rows` rows; `source(i)` returns the
/// input row.
[[nodiscard]] HostTensor moved_rows(
    const HostTensor& input, Shape shape, std::uint32_t fill,
    const std::function<std::optional<std::uint32_t>(std::uint32_t row)>& source);

}  // namespace tessera::ops

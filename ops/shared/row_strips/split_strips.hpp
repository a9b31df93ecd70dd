// SPDX-License-Identifier: Apache-2.0
// Programs over rows whose columns several cores share, for few long rows: what the norms share on
// the host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op.hpp"
#include "ops/shared/row_strips/row_strips.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Schedule of a norm.
struct SplitSchedule {
    GridSize grid;            ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t split = 0;  ///< cores that share the columns of 32 rows; 0: chosen by the shape
};

inline constexpr std::string_view kSplitProse =
    "cores that share the columns of 32 rows; 0: chosen by the shape, 1 with a stated grid if that "
    "fits in L1";
inline constexpr config::Limits kSplitLimits{0, 64};

/// Vectors and statistics that a norm needs beside its rows.
struct RowOperands {
    std::uint32_t vectors = 1;     ///< (C): one or two
    std::uint32_t statistics = 1;  ///< of a row, made one after the other: up to three
};

/// The kernels of a norm and what they need to know.
struct SplitStrips {
    const DeviceTensor& input;   ///< (…, C) bfloat16
    const DeviceTensor& output;  ///< (…, C)
    std::string compute;         ///< kernel, which reads ColumnShare and SplitMember
    NamedCompileArgs compute_args = {};
    std::vector<const DeviceTensor*> vectors = {};  ///< (C) bfloat16: one or two
    std::uint32_t num_statistics = 1;

    [[nodiscard]] RowOperands operands() const {
        return {static_cast<std::uint32_t>(vectors.size()), num_statistics};
    }
};

/// Cores that share the columns of a unit of 32 rows.
struct ColumnSplit {
    std::uint32_t columns = 1;  ///< of a rectangle, to which the leader multicasts
    std::uint32_t rows = 1;

    [[nodiscard]] std::uint32_t members() const { return columns * rows; }
};

/// Returns the split of a schedule: the stated number of cores, or the one with the least work for
/// the slowest core. None if no rectangle of the grid has a fitting part of the columns each.
[[nodiscard]] std::optional<ColumnSplit> column_split(const ArchSpec& arch,
                                                      const SplitSchedule& schedule,
                                                      const TensorSpec& input,
                                                      const RowOperands& operands);

/// Judges the rules of a grid, of the split and of units of rows that must fit in L1.
void judge_split_strips(const ArchSpec& arch, const SplitSchedule& schedule,
                        const TensorSpec& input, const RowOperands& operands, RuleJudge& judge);

/// Returns the program: units of 32 rows go to rectangles of cores in turn. Each core of a
/// rectangle has some strips of four tiles. It sends its part of a statistic to the first core,
/// which merges the parts in its matrix unit and multicasts the statistic.
[[nodiscard]] Program split_strips_program(std::string_view op, const ArchSpec& arch,
                                           const SplitStrips& strips,
                                           const SplitSchedule& schedule);

}  // namespace tessera::ops
